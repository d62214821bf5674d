// Tasks: what runs beside the conversations, as a tree, live.
import { type TaskShape, taskList } from "../../../src/schema/api/task.ts";
import { address, call } from "../../api/call.ts";
import { usePages } from "../../api/pages.ts";
import { href, params, setParams } from "../../app/route.ts";
import { compact, count, duration, plural } from "../../part/figure.tsx";
import { Facts, Mark, OnlySession, type Tone } from "../../part/form.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Reach, Resume } from "../../part/reach.tsx";
import { Rows } from "../../part/rows.tsx";
import { Split } from "../../part/split.tsx";
import { Empty } from "../../part/state.tsx";
import { Line, Text } from "../../part/text.tsx";
import { When } from "../../part/time.tsx";
import "./tasks.css";

const TONES: Record<TaskShape["status"], Tone> = {
  running: "accent",
  idle: "plain",
  completed: "plain",
  failed: "red",
  cancelled: "amber",
  interrupted: "amber",
};
/** Tasks of the main agent stand at the left. */
const depthOf = ({ depth }: TaskShape): number => Math.min(Math.max(0, depth - 1), 5);
const keyOf = (task: TaskShape): string => `${task.session}/${task.id}`;

export function Tasks() {
  const { session, id } = params.value;
  const list = usePages(
    session ?? "",
    (page, signal) => call(taskList, address("/api/tasks", { session, ...page }), { signal }),
    (task) => keyOf(task),
    ["session", "sessions"],
  );
  const selected = list.items.find((task) => keyOf(task) === id);
  const running = list.items.filter(({ status }) => status === "running").length;
  return (
    <Split
      detail={
        id ? selected ? <TaskDetail task={selected} /> : <p class="state">This task is no longer listed.</p> : undefined
      }
      list={
        <>
          <div class="list-head">
            <div class="title">
              <h1>Tasks</h1>
              <span class="faint">{running > 0 && `${running} running`}</span>
            </div>
            <OnlySession session={session} />
          </div>
          <Rows
            label="Tasks"
            list={list}
            id={keyOf}
            height={56}
            selected={id}
            onSelect={(task) => setParams({ id: keyOf(task) })}
            isFiltered={Boolean(session)}
            empty={
              <Empty title="No tasks yet" command={'everlong -p "/research how retries work here"'}>
                Subagents, background commands and MCP tasks of open sessions and of the last day appear here.
              </Empty>
            }
          >
            {(task) => (
              <>
                <span class={`task-name depth-${depthOf(task)}`}>
                  <Line class="first">{task.name || task.agentType}</Line>
                </span>
                <span class="side">
                  <Mark tone={TONES[task.status]}>{task.stalled ? "stalled" : task.status}</Mark>
                </span>
                <span class={`second depth-${depthOf(task)}`}>
                  <Line>
                    {task.permission
                      ? "waiting for permission in its terminal"
                      : (task.latestIntent ?? task.description)}
                  </Line>
                </span>
                <span class="side">
                  {compact(task.tokensIn + task.tokensOut)}, {duration(task.durationMs)}
                </span>
              </>
            )}
          </Rows>
        </>
      }
    />
  );
}

/** Who runs it, and what can be done about it from here. */
function Runner({ task }: { task: TaskShape }) {
  const isOpen = task.status === "running" || task.status === "idle";
  if (!isOpen && task.status !== "interrupted") return null;
  if (task.pid === null) return <Resume session={task.session} />;
  if (!task.mayControl)
    return <p class="faint">Process {task.pid} runs it. To stop it or write to it, use /tasks in that terminal.</p>;
  return isOpen ? <Reach session={task.session} task={task.id} /> : null;
}

function TaskDetail({ task }: { task: TaskShape }) {
  const { mcp } = task;
  return (
    <div class="detail">
      <header class="stack">
        <div class="head">
          <h2>
            <Text>{task.name || task.agentType}</Text>
          </h2>
          <Mark tone={TONES[task.status]}>{task.stalled ? `stalled: ${task.stalled.reason}` : task.status}</Mark>
        </div>
        <p class="soft">
          <Text>{task.description}</Text>
        </p>
        {task.permission && (
          <p class="trouble is-warning">
            <span>
              It waits for a permission: <Text>{task.permission}</Text>. Answer in its terminal
              {task.pid !== null && ` (process ${task.pid})`}.
            </span>
          </p>
        )}
        <Runner key={keyOf(task)} task={task} />
      </header>
      <Facts
        rows={[
          [
            "Session",
            <a key="s" href={href("sessions", { id: task.session })}>
              {task.sessionTitle || task.session}
            </a>,
          ],
          ["Agent", task.agentType],
          ["Model", task.model],
          ["Mode", task.mode === "sync" ? "the conversation waits for it" : "in the background"],
          ["Began", <When key="b" at={task.startedAt} seconds />],
          ["Took", duration(task.durationMs)],
          ["Work", `${plural(task.turns, "turn")}, ${plural(task.toolCalls, "tool call")}`],
          ["Tokens", `${count(task.tokensIn)} in, ${count(task.tokensOut)} out`],
          ["Cost", task.cost !== undefined && task.cost > 0 && `$${task.cost.toFixed(4)}`],
          ["Todo", task.todo],
          ["Doing", task.latestIntent],
          ["MCP", mcp && `${mcp.server} ${mcp.tool}: ${mcp.message ?? mcp.status}`],
        ]}
      />
      {mcp?.progress !== undefined && mcp.total !== undefined && (
        <progress value={mcp.progress} max={mcp.total} aria-label="Progress">
          {mcp.progress} of {mcp.total}
        </progress>
      )}
      {task.error && (
        <p class="trouble">
          <Text>{task.error}</Text>
        </p>
      )}
      {task.result && (
        <div class="section">
          <h2>Result</h2>
          <Markdown>{task.result}</Markdown>
        </div>
      )}
    </div>
  );
}
