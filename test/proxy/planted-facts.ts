// Facts to be planted deep in a history, each with a question as somebody would ask it later, and what its answer holds.
export type Fact = {
  where: "tool" | "user" | "assistant";
  text: string;
  question: string;
  answer: string;
};

const tool = (text: string, question: string, answer: string): Fact => ({ where: "tool", text, question, answer });
const user = (text: string, question: string, answer: string): Fact => ({ where: "user", text, question, answer });
const assistant = (text: string, question: string, answer: string): Fact => ({
  where: "assistant",
  text,
  question,
  answer,
});

export const FACTS: readonly Fact[] = [
  // In results of tools, far from their beginning.
  tool("listening on 0.0.0.0:54871 (billing-staging)", "Which port does billing-staging listen on?", "54871"),
  tool(
    "ERROR 1062: Duplicate entry 'acct-9931' for key 'accounts.PRIMARY'",
    "Which duplicate entry made the accounts insert fail?",
    "acct-9931",
  ),
  tool(
    "Certificate for mail.relay.example expires: 23 Brumaire CCXXXIV",
    "When does the mail relay certificate expire?",
    "23 Brumaire",
  ),
  tool(
    "npm warn deprecated glob-legacy@7.2.3: use glob-next instead",
    "What should replace the deprecated glob-legacy package?",
    "glob-next",
  ),
  tool(
    "Total time: 412.7 s, slowest spec: checkout.spec.ts (188.2 s)",
    "Which spec was the slowest in the test run?",
    "checkout.spec.ts",
  ),
  tool(
    "Memory peak 3.81 GiB in worker pool 'thumbnailer'",
    "How high was the memory peak of the thumbnailer workers?",
    "3.81 GiB",
  ),
  tool("The backup bucket is called frost-vault-eu-7.", "What is the name of our backup bucket?", "frost-vault-eu-7"),
  tool(
    "Segmentation fault in libvorbis_ext.so at offset 0x4f2a10",
    "At what offset did libvorbis_ext crash?",
    "0x4f2a10",
  ),
  tool(
    "User quota exceeded: tenant 'heliotrope' uses 118% of storage",
    "Which tenant exceeded its storage quota?",
    "heliotrope",
  ),
  tool(
    "Migration 0047_add_ledger_index took 93 minutes on production",
    "How long did the ledger index migration take on production?",
    "93 minutes",
  ),
  tool(
    "kafka: consumer lag on topic orders.v3 is 1,204,877 messages",
    "How large was the consumer lag on the orders topic?",
    "1,204,877",
  ),
  tool("DNS: api-canary.example CNAME lb-14.edge.example", "Which load balancer does api-canary point to?", "lb-14"),
  tool("license check: package 'tinyplot' is AGPL-3.0", "Which package has an AGPL license?", "tinyplot"),
  tool(
    "Feature flag rollout_dark_sidebar is at 35 percent",
    "At what percentage is the dark sidebar rollout?",
    "35 percent",
  ),
  tool(
    "Coverage dropped from 88.1 to 79.4 in package importer",
    "To what figure did the importer's coverage drop?",
    "79.4",
  ),
  tool("cron: nightly-reindex runs at 03:40 UTC", "At what time does the nightly reindex run?", "03:40"),
  tool(
    "gc pause 2317 ms observed on node ip-10-3-8-77",
    "On which node was the long gc pause observed?",
    "ip-10-3-8-77",
  ),
  tool(
    "Rejected upload: MIME type image/heic-sequence is not allowed",
    "Which MIME type was rejected on upload?",
    "heic-sequence",
  ),
  tool(
    "Terraform: aws_db_instance.reporting must be replaced (engine_version 13.4 -> 16.1)",
    "Which engine version does the reporting database move to?",
    "16.1",
  ),
  tool(
    "timezone of tenant Valparaiso is stored as America/Santiago",
    "Which timezone is stored for tenant Valparaiso?",
    "America/Santiago",
  ),
  tool("rate limiter: bucket size 240, refill 12 per second", "How big is the bucket of the rate limiter?", "240"),
  tool(
    "webhook signature header: X-Gannet-Signature-256",
    "What is the header of the webhook signature called?",
    "X-Gannet-Signature-256",
  ),
  tool(
    "Flaky: 'reconnects after sleep' failed 7 of 50 runs",
    "How often did the flaky reconnect test fail?",
    "7 of 50",
  ),
  tool("chrome 131 crashes on canvas larger than 16384 pixels", "Above which canvas size does chrome crash?", "16384"),
  // What people said, in the middle of long messages.
  user(
    "By the way, my manager Ottoline wants the report in landscape format.",
    "Who wanted the report in landscape format?",
    "Ottoline",
  ),
  user(
    "Please never touch the folder vendor/quince, the licence forbids it.",
    "Which vendor folder must you never touch?",
    "vendor/quince",
  ),
  user("The customer demo is on the 14th of May in Ghent.", "Where is the customer demo?", "Ghent"),
  user(
    "I prefer tabs of width 3 in the legacy Pascal sources.",
    "What tab width do I prefer in the Pascal sources?",
    "width 3",
  ),
  user(
    "Remember that the intern's name is Barnaby and he reviews the docs.",
    "What is the name of the intern who reviews docs?",
    "Barnaby",
  ),
  user(
    "For now the password policy is at least 17 characters.",
    "How many characters does the password policy ask for?",
    "17",
  ),
  assistant(
    "I chose Bloom filters over cuckoo filters because deletions never happen here.",
    "Why did you choose Bloom filters?",
    "deletions never happen",
  ),
  assistant(
    "The retry limit became 6, since five attempts still failed on the ferry network.",
    "To what did you set the retry limit?",
    "became 6",
  ),
  assistant(
    "I left the old parser behind the switch USE_MARMOT_PARSER.",
    "Behind which switch is the old parser?",
    "USE_MARMOT_PARSER",
  ),
  assistant(
    "The root cause was a leap second that the scheduler counted twice.",
    "What was the root cause in the scheduler?",
    "leap second",
  ),
  assistant(
    "We settled on Zstandard level 11 for the snapshots.",
    "Which Zstandard level do the snapshots use?",
    "level 11",
  ),
  assistant("The owner of the pricing table is the Lisbon team.", "Which team owns the pricing table?", "Lisbon"),
  // Other scripts.
  user("本番データベースの予備機は大阪リージョンに置いてください。", "予備機はどのリージョンに置きますか？", "大阪"),
  user("会議は毎週木曜日の午後四時に変更になりました。", "会議は何曜日に変更になりましたか？", "木曜日"),
  tool("エラー: 請求書番号 INV-20931 の金額が一致しません", "金額が一致しない請求書番号は？", "INV-20931"),
  assistant("認証トークンの有効期限を九十分に延長しました。", "認証トークンの有効期限はどれくらいですか？", "九十分"),
  user("数据库备份必须保存在法兰克福机房。", "数据库备份保存在哪个机房？", "法兰克福"),
  tool("警告：缓存服务器 redis-cn-03 的内存不足", "哪台缓存服务器内存不足？", "redis-cn-03"),
  user("배포 담당자는 김서연 씨입니다.", "배포 담당자는 누구입니까?", "김서연"),
  user("Резервная копия лежит на сервере «Байкал».", "На каком сервере лежит резервная копия?", "Байкал"),
  // Identifiers.
  tool(
    "function reconcileLedgerEntries(batch) { return batch.filter(isOrphanEntry); }",
    "What does reconcileLedgerEntries filter by?",
    "isOrphanEntry",
  ),
  tool("const MAX_TENANT_SHARDS = 48;", "What is the value of MAX_TENANT_SHARDS?", "48"),
  tool("class QuorumElector extends RaftParticipant {}", "Which class does QuorumElector extend?", "RaftParticipant"),
  tool(
    "throw new StaleCursorError('cursor older than 900 s')",
    "How old must a cursor be for a StaleCursorError?",
    "900 s",
  ),
  tool(
    "export type PayoutState = 'queued' | 'wired' | 'clawed_back';",
    "Which states does PayoutState have?",
    "clawed_back",
  ),
  tool(
    "enum Severity { Calm = 10, Gale = 20, Hurricane = 30 }",
    "Which number does the Hurricane severity have?",
    "30",
  ),
  tool(
    "def fetch_moon_phase(day): return lunar_table[day % 29]",
    "Which table does fetch_moon_phase read?",
    "lunar_table",
  ),
  tool(
    "impl Drop for SocketGuard { fn drop(&mut self) { self.release_slot(); } }",
    "What does SocketGuard call when it is dropped?",
    "release_slot",
  ),
  tool(
    'feature_gate!(async_teleport, since = "0.9.4")',
    "Since which version does the async_teleport feature exist?",
    "0.9.4",
  ),
  tool("x-request-budget: 7500ms (set by EdgeBudgetFilter)", "Who sets the request budget header?", "EdgeBudgetFilter"),
  // Paths.
  tool(
    "modified: services/ledger/src/close-month/rounding.ts",
    "Which file holds the rounding of the month close?",
    "close-month/rounding.ts",
  ),
  tool(
    "/etc/systemd/system/otter-agent.service: Restart=on-abort",
    "What restart rule does otter-agent.service have?",
    "on-abort",
  ),
  tool("C:\\Builds\\nightly\\pack\\bundle-x64.msi (84 MB)", "How large is bundle-x64.msi?", "84 MB"),
  tool("packages/ui/icons/flamingo.svg: viewBox is missing", "What is missing in flamingo.svg?", "viewBox"),
  tool(
    '~/.config/wombat/keymap.toml sets leader = "<space>"',
    "What is the leader key in the wombat keymap.toml?",
    "<space>",
  ),
  tool(
    "deploy/helm/charts/gateway/values-prod.yaml: replicas: 14",
    "How many replicas are in the gateway's values-prod.yaml?",
    "14",
  ),
  tool(
    "scripts/import/zip-codes.py reads data/zip/1998-old.csv",
    "Which csv file does zip-codes.py read?",
    "1998-old.csv",
  ),
  tool(
    "src/render/webgl/shadow-map.ts line 212: bias too small",
    "On which line of shadow-map.ts is the bias too small?",
    "212",
  ),
  tool(
    "test/golden/invoice-77.pdf differs from expected by 3 bytes",
    "By how many bytes does invoice-77.pdf differ?",
    "3 bytes",
  ),
  tool("infra/dns/zones/internal.zone: serial 2024113007", "What is the serial of internal.zone?", "2024113007"),
];
