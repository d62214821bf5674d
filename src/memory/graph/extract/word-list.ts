// Lists of words that the grammar knows: what a phrase may not hold, what makes a sentence unreal, states, attributes, tools.

const set = (words: string): ReadonlySet<string> => new Set(words.split(/[\s]+/).filter(Boolean));
const phrases = (list: string): ReadonlySet<string> =>
  new Set(list.split(",").map((phrase) => phrase.trim().replace(/\s+/g, " ")));

/** Intentions, duties and requests: what comes before one in its sentence may be true, what comes behind it is not yet. */
export const INTENTIONS = set(`will shall can cannot must want wants wanted plan plans planning planned tomorrow someday
  eventually soon next later should ought considering consider trying tries try tried intend intends tell tells suggest suggests
  propose proposes recommend recommends`);

/** Those, conditions, wishes, guesses, hearsay and jokes: nothing in such a clause is stated as true. */
export const UNREAL: ReadonlySet<string> = new Set([
  ...INTENTIONS,
  ...set(`if unless whether when whenever would could might may wish wishes hope hopes hoping maybe perhaps probably
  possibly presumably likely suppose supposing imagine imagining assume assuming assumes pretend think thinks thought guess
  guesses guessing believe believes seem seems seemed apparently allegedly supposedly reportedly rumour rumor rumours rumors
  wonder wonders wondering otherwise almost nearly hypothetically theoretically theory say says said told claim claims
  claimed heard hear according asked asks asking feel feels felt lol haha jk kidding joke joking sarcasm expect expects
  expected doubt doubts once example instance hypothetical suggested proposed chance worried afraid unsure iirc afaik todo fixme roadmap proposal
  obviously totally`),
]);

/** Praise that, after "oh" or "yeah", means the contrary of what it says. */
export const MOCK_PRAISE = set("great good nice wonderful perfect lovely brilliant fantastic awesome sure right");

export const NEGATION = set(`not no never neither nor none nothing nobody nowhere hardly barely without `);

/** Words that cannot stand inside of a plain noun phrase. */
export const NOT_IN_PHRASE =
  set(`the a an called named following below above different various one two three four five six seven eight nine ten
  twice often sometimes usually once enough own itself i me we us you he him she her it they them this that these those there here who whom
  whose which what where why how my your his its our their mine yours is are was were be been being am do does did done
  has have had and or but so because although though while until till since as of in on at to for from by with within
  into onto over under via per about than then before after between through during against across inside too very much
  more most less least same such another other any some every each all both many few several lot lots else just only
  myself yourself itself themselves ourselves someone something anyone anything everyone everything everybody anybody
  somebody use uses using used depends depend blocks needs stopped dropped instead rather let please thanks ok okay yes
  closes fixes resolves implements touches modifies requires owns maintains prefers lives works runs means calls
  get gets got getting make makes made making go goes going went come comes fear love hate`);

/** Heads that name nothing which somebody could find again. */
export const VAGUE =
  set(`thing things stuff way ways point idea rest one ones part parts kind sort time times bit problem
  problems truth fact facts question answer reason reasons case cases issue issues bug error errors day days week month year
  order line lines file files code place approach  option options example solution work change changes mess
  moment matter help result results end start beginning side hand man guy people person world life mood fire
  luck hope coffee caffeine magic`);

/** Heads that name something only together with a word that says which one. */
export const VAGUE_ALONE =
  set(`variable variables function functions method methods parameter argument string field column row loop helper class
  tutorial article post blog talk book video guy colleague customer client machine box laptop phone car dog cat kid kids`);

/** Words that point at something: whatever a sentence says of them, nobody finds it under such a name. */
export const POINTERS =
  set(`it its this that these those thing things one ones stuff something anything everything nothing
  someone anyone everyone nobody he she they them him her we us you i me self here there what which who other others
  another both all none some any`);

/** Words that are left out of a clause before it is matched; they do not change what is stated. */
export const ADVERBS =
  set(`also just currently already recently finally officially actually basically really still again
  anyway nowadays internally directly simply both consistently heavily primarily exclusively then back only presently
  always anymore`);

/** Openings before the clause itself. */
export const OPENINGS: readonly (readonly string[])[] = [
  ...phrases(`ok, okay, so, well, fyi, btw, note, note that, by the way, heads up, also, and, oh, yes, yep, yeah, hey, hi, actually,
  in general, in this project, in this repo, in this codebase, in our project, for the record, as agreed, reminder, update,
  quick update, personally, honestly, tbh, fwiw, lastly, anyway, for context, quick context, one more thing, status update,
  unfortunately, luckily, side note, last thing, and yes, ah, alright, nah, nope, turns out, good news, bad news, thanks, cool, great, remember, remember that, please note, please note that, context,
  correction, no, right, sure, hello, as a reminder, just so you know, in short, summary, in the end, today, as you know`),
]
  .map((phrase) => phrase.split(" "))
  .sort((a, b) => b.length - a.length);

/** States that "X is …" may give. */
export const STATES =
  phrases(`merged, closed, open, reopened, done, finished, complete, completed, broken, fixed, green, red,
  yellow, orange, failing, passing, down, up, live, offline, online, deprecated, archived, released, deployed, shipped, blocked,
  stale, active, inactive, enabled, disabled, ready, ready for review, ready to merge, in review, under review, in progress,
  on hold, in production, in staging, in beta, paused, cancelled, canceled, approved, rejected, unstable, stable, healthy,
  unhealthy, degraded, stuck, abandoned, obsolete, pending, resolved, out of date, up to date, frozen, end of life, unmaintained,
  feature complete, flaky, published, reverted, unblocked, staged, queued, running, stopped, locked, unlocked, draft, final,
  up and running, in qa, in testing, in use, unused, removed, deleted, code complete, in maintenance mode, read-only, read only,
  muted, silenced, suspended, throttled, retired, decommissioned, unreachable, overloaded`);

/** States that "X was …" gives: something happened and what it left is still so. */
export const EVENT_STATES =
  phrases(`merged, closed, reopened, released, deployed, shipped, deprecated, archived, reverted, fixed,
  resolved, cancelled, canceled, approved, rejected, published, removed, deleted, enabled, disabled, completed, finished,
  unblocked, abandoned, paused, frozen`);

/** Heads of phrases whose value people state with a plain "is". Passwords and keys are left out on purpose. */
export const ATTRIBUTES =
  set(`port timeout limit version deadline branch url uri endpoint size timezone zone language currency
  region threshold interval model manager lead editor shell database db framework host hostname domain address budget quota
  rate delay backoff retries ttl locale theme format encoding license licence count maximum minimum max min duration
  period length width height capacity concurrency frequency schedule target baseline email username nickname title codename
  mode level cloud provider registry bucket namespace prefix suffix replicas date birthday employer city office boss
  mentor designer cto ceo architect reviewer teammate orm cdn gateway number subdomain extension slug tool linter formatter bundler runtime os platform browser keyboard terminal font dialect queue broker cache sla slo retention`);

/** Attributes that mean something only together with what they belong to. */
export const WEAK_ATTRIBUTES =
  set(`max min maximum minimum count mode level format length size title date tool address rate target
  prefix suffix width height period branch number extension`);

/** Prepositions that begin something which a clause may add behind its object. */
export const ADJUNCTS =
  set(`for as in on with at to by via over from across inside within during through using because since
  under behind throughout against into per until between alongside`);

export const TOOLS =
  set(`git npm pnpm yarn bun deno node npx tsc vite vitest jest mocha webpack rollup rolldown esbuild eslint
  prettier biome docker podman kubectl helm terraform ansible make cmake cargo rustc go python pip pipx poetry uv pytest ruff mypy
  black tox maven gradle java bash zsh fish sh vim neovim nvim emacs helix zed vscode gh glab curl wget jq yq sed awk grep rg fd
  ripgrep psql sqlite3 redis-cli aws gcloud az tmux ssh rsync brew apt nix playwright cypress storybook turbo nx lerna changesets
  husky renovate dependabot jenkins travis circleci buildkite grafana prometheus sentry`);

/** Names of products that people write without a capital, and that are no plain words. */
export const PRODUCTS =
  set(`postgres postgresql mysql mariadb sqlite mongodb mongo dynamodb cassandra elasticsearch opensearch
  redis valkey memcached kafka rabbitmq nats sqs celery sidekiq bullmq kubernetes k8s nomad argocd nginx traefik caddy envoy
  react preact vue svelte sveltekit angular solidjs nextjs next.js nuxt remix astro tailwind bootstrap htmx fastify hono koa
  nestjs django fastapi laravel symfony graphql grpc trpc protobuf zod prisma drizzle knex typeorm sequelize typescript
  javascript golang kotlin elixir haskell ocaml clojure flutter expo electron tauri axios lodash moment oxlint parcel swc
  babel pino winston datadog opentelemetry keycloak auth0 okta stripe adyen sendgrid mailgun twilio
  meilisearch typesense algolia duckdb clickhouse bigquery libvips imagemagick rspack pulumi supabase firebase launchdarkly`);

/** Products on which things are placed. */
export const HOSTS = set(`heroku vercel netlify fly.io railway hetzner ovh digitalocean linode scaleway aws gcp azure
  cloudflare ec2 s3 rds ecs eks gke fargate lambda kubernetes k8s nomad openshift neon planetscale supabase firebase github gitlab bitbucket`);

export const SERVICE_HEADS =
  set(`service server api gateway backend frontend database db cluster worker queue proxy broker
  cache endpoint website site app daemon scheduler`);
export const PROCEDURE_HEADS = set(`procedure process pipeline workflow step runbook playbook routine release`);
export const LESSON_HEADS = set(`rule lesson convention guideline policy`);
export const INCIDENT_HEADS = set(`incident outage crash regression leak downtime`);

/** How a step of a procedure begins. */
export const IMPERATIVES =
  set(`add apply archive ask attach back build bump call change check choose clean clear click clone
  close commit compile configure connect copy create cut define delete deploy disable download drain edit enable ensure enter
  execute export extract fetch fill find fix flush follow generate get give go import increment initialise initialize insert
  install invoke join kill launch link list load lock log make merge migrate mount move navigate notify open pause paste pick
  ping point post press publish pull push put read rebase rebuild record redeploy refresh regenerate reload remove rename repeat
  replace request reset restart restore retry revert review revoke roll rotate run save scale schedule select send set sign
  squash ssh start stop submit switch sync tag tell test touch trigger turn type undo uninstall unlock unmount unzip update
  upgrade upload use validate verify visit wait warm watch wipe write zip`);

/** "My colleague Ines": who somebody is to the speaker, before the name. */
export const CLOSE_PEOPLE =
  set(`colleague coworker co-worker teammate friend boss manager lead mentor partner wife husband
  brother sister mother father mom dad son daughter flatmate neighbour neighbor intern`);

export const WEEKDAYS = set("monday tuesday wednesday thursday friday saturday sunday");
