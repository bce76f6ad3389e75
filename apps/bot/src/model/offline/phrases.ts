// What the offline model understands: one row a request. docs/model.md shows the same table, and a test compares them.

export interface Phrase {
  title: string
  /** Ways to say it, for the docs and for `help`. Each is tried out by a test. */
  says: readonly string[]
  /** The first that fits counts. Named groups are the values for the tool. */
  patterns: readonly RegExp[]
  /** Tools that can do it, best first, by their canonical names or aliases. */
  tools: readonly string[]
  /** Values beyond those that were said. */
  values?(said: Readonly<Record<string, string>>): Record<string, unknown>
  /** What is said before the tool runs. */
  intro: string
}

export const phrases: readonly Phrase[] = [
  {
    title: 'Fetch a page',
    says: ['fetch https://example.com', 'open https://example.com'],
    patterns: [/^(?:fetch|open|get|read|visit)\s+(?:the\s+page\s+)?(?<url>https?:\/\/\S+)$/i],
    tools: ['web.fetch', 'http.request'],
    intro: 'I fetch that page.',
  },
  {
    title: 'List files',
    says: ['list files', 'list files in src', 'show files in docs'],
    patterns: [
      /^(?:list|show)(?:\s+me)?(?:\s+the|\s+all)?\s+files(?:\s+(?:in|of|under)\s+(?<path>\S+))?$/i,
      /^ls(?:\s+(?<path>\S+))?$/i,
    ],
    tools: ['file.list', 'vfs.list', 'list_files'],
    values: ({ path }) => ({ path: path ?? '.' }),
    intro: 'I look at the files.',
  },
  {
    title: 'Search in files',
    says: ['search for TODO', 'search for TODO in src', 'grep TODO in src'],
    patterns: [/^(?:search(?:\s+for)?|grep(?:\s+for)?|find)\s+(?<pattern>.+?)(?:\s+(?:in|under)\s+(?<path>\S+))?$/i],
    tools: ['file.grep', 'Grep'],
    values: ({ pattern, path }) => ({
      pattern: unquoted(pattern ?? ''),
      ...(path && { path }),
      output_mode: 'content',
    }),
    intro: 'I search the files.',
  },
  {
    title: 'Run a command',
    says: ['run npm test', '$ git status'],
    patterns: [/^(?:run|execute)\s+(?:the\s+command\s+)?(?<command>[\s\S]+)$/i, /^\$\s+(?<command>[\s\S]+)$/],
    tools: ['shell.exec', 'bash'],
    values: ({ command }) => ({ command: unquoted(command ?? '') }),
    intro: 'I run that command.',
  },
  {
    title: 'Write a file',
    says: ['write hello to notes.txt', 'create file notes.txt with hello', 'write to notes.txt: hello'],
    patterns: [
      /^(?:write|save)\s+to\s+(?<path>[^\s:]+):\s*(?<content>[\s\S]+)$/i,
      /^create\s+(?:a\s+|the\s+)?file\s+(?<path>\S+)\s+with\s+(?<content>[\s\S]+)$/i,
      /^(?:write|save)\s+(?<content>[\s\S]+?)\s+(?:to|into|as)\s+(?:the\s+file\s+)?(?<path>\S+)$/i,
    ],
    tools: ['file.write', 'write_file', 'vfs.write'],
    values: ({ content }) => ({ content: unquoted(content ?? '') }),
    intro: 'I write that file.',
  },
  {
    title: 'Edit a file',
    says: ['replace hello with goodbye in notes.txt'],
    patterns: [
      /^(?:replace|change)\s+(?<search>[\s\S]+?)\s+(?:with|by|to)\s+(?<replace>[\s\S]+?)\s+in\s+(?<path>\S+)$/i,
    ],
    tools: ['file.edit'],
    values: ({ search, replace }) => ({ search: unquoted(search ?? ''), replace: unquoted(replace ?? '') }),
    intro: 'I edit that file.',
  },
  {
    title: 'Compute in Python',
    says: ['compute 6 * 7', 'python print("hello")'],
    patterns: [/^(?:compute|calculate)\s+(?<sum>[\s\S]+)$/i, /^python\s+(?<code>[\s\S]+)$/i],
    tools: ['python.exec'],
    values: ({ sum, code }) => ({ code: code ?? `print(${sum})` }),
    intro: 'I compute that.',
  },
  {
    title: 'Take a screenshot of a page',
    says: ['take a screenshot'],
    patterns: [/^(?:take\s+)?a?\s*screenshot$/i],
    tools: ['browser.screenshot'],
    intro: 'I take a picture of the page.',
  },
  {
    title: 'Open a page in the browser',
    says: ['browse https://example.com', 'browse https://example.com, then take a screenshot'],
    patterns: [/^(?:browse|navigate)\s+(?:to\s+)?(?<url>https?:\/\/\S+)$/i],
    tools: ['browser.navigate'],
    intro: 'I open that page in the browser.',
  },
  {
    title: 'Send a file here',
    says: ['send me notes.txt'],
    patterns: [/^send\s+(?:me\s+)?(?:the\s+file\s+)?(?<path>\S+)$/i],
    tools: ['media.send'],
    intro: 'I send that file.',
  },
  {
    title: 'Let you choose',
    says: ['ask me to choose', 'ask me to choose between tea, coffee and water'],
    patterns: [/^(?:ask|let)\s+me\s+(?:to\s+)?choose(?:\s+(?:between|from)\s+(?<choices>.+))?$/i],
    tools: ['ask_user'],
    values: ({ choices }) => ({
      question: 'Which one do you choose?',
      options: optionsIn(choices ?? 'red, green, blue'),
    }),
    intro: 'I have a question for you.',
  },
  {
    title: 'Remember',
    says: ['remember that the demo is on Friday'],
    patterns: [/^remember\s+(?:that\s+)?(?<content>[\s\S]+)$/i],
    tools: ['memory.add', 'memory.write'],
    values: () => ({ namespace: 'knowledge', memory_type: 'fact' }),
    intro: 'I note that.',
  },
  {
    title: 'Recall',
    says: ['recall the demo', 'what do you remember about the demo?'],
    patterns: [/^(?:recall|what\s+do\s+you\s+(?:remember|know)\s+about)\s+(?<query>.+)$/i],
    tools: ['memory.search', 'memory.read'],
    values: ({ query }) => ({ query: (query ?? '').replace(/\?+$/, ''), namespace: 'knowledge' }),
    intro: 'I look in my memory.',
  },
  {
    title: 'Read a file',
    says: ['read README.md', 'show me README.md'],
    patterns: [/^(?:read|show(?:\s+me)?|open|cat)\s+(?:the\s+file\s+)?(?<path>\S+)$/i],
    tools: ['file.read', 'vfs.read', 'read_file'],
    intro: 'I read that file.',
  },
]

/** The two that need no tool of their own, for the docs and for `help`. */
export const otherPhrases = [
  { title: 'Any tool by its name', says: ['!file.read {"path": "README.md"}'], tools: ['the one named'] },
  { title: 'What it can do', says: ['help', 'what can you do?'], tools: [] },
] as const

export const helpPattern = /^(?:help|hi|hello|hey|what\s+can\s+you\s+do)[.!?]*$/i

/** `read a.txt, then run npm test` are two steps. */
export const stepBorder = /[,;]\s*(?:and\s+)?then\s+/i

/** The argument that carries a value, by the names that different tools have for it. */
export const argumentNames: Readonly<Record<string, readonly string[]>> = {
  search: ['search', 'old_string'],
  replace: ['replace', 'new_string'],
  code: ['code'],
  path: ['path', 'file_path', 'directory', 'dir', 'cwd'],
  pattern: ['pattern', 'query', 'regex'],
  command: ['command', 'cmd'],
  content: ['content', 'text', 'value'],
  url: ['url', 'uri'],
  question: ['question', 'prompt', 'message'],
  options: ['options', 'choices'],
  query: ['query', 'q', 'text'],
  namespace: ['namespace'],
  type: ['type'],
}

function optionsIn(choices: string): string[] {
  return choices
    .split(/,|\s+(?:or|and)\s+/)
    .map((choice) =>
      choice
        .replace(/^(?:or|and)\s+/i, '')
        .replace(/[.?]$/, '')
        .trim(),
    )
    .filter(Boolean)
}

const unquoted = (text: string): string => /^(["'`])([\s\S]*)\1$/.exec(text.trim())?.[2] ?? text

/** The table of docs/model.md. */
export function renderPhraseTable(): string {
  const row = ({ title, says, tools }: { title: string; says: readonly string[]; tools: readonly string[] }) =>
    `| ${title} | ${says.map((example) => `\`${example}\``).join('<br>')} | ${tools.map((tool) => (tool.includes(' ') ? tool : `\`${tool}\``)).join(' or ') || '—'} |`
  return ['| request | say | tool |', '| --- | --- | --- |', ...[...phrases, ...otherPhrases].map(row)].join('\n')
}
