// For tests: the arguments that each source document gives its tools, as data. Every builtin tool and every alias has a
// form here; document-forms.test.ts fails where one has none, or where a form is not taken.
import type { Alias } from '../contract.ts'

export interface DocumentForm {
  /** The canonical tool. */
  tool: string
  /** What the document calls it. */
  name: string
  /** `ours`: the document is silent about the arguments, or has no such tool. */
  document: Alias['system'] | 'ours'
  required: Readonly<Record<string, unknown>>
  optional: Readonly<Record<string, unknown>>
  /** Their argument name → ours, where they differ. */
  renamed?: Readonly<Record<string, string>>
}

type More = Partial<Pick<DocumentForm, 'optional' | 'renamed'>>

const form =
  (document: DocumentForm['document']) =>
  (tool: string, name: string, required: DocumentForm['required'] = {}, more: More = {}): DocumentForm => ({
    tool,
    name,
    document,
    required,
    optional: {},
    ...more,
  })

const nodyn = form('nodyn')
const lynkr = form('lynkr')
const iofold = form('iofold')
const flynn = (tool: string, required = {}, optional = {}) => form('flynn')(tool, tool, required, { optional })
const ours = (tool: string, required = {}, optional = {}) => form('ours')(tool, tool, required, { optional })

const picture = { data: 'iVBORw0KGgo=', mimeType: 'image/png' }

export const documentForms: readonly DocumentForm[] = [
  flynn('file.read', { path: 'a.txt' }, { encoding: 'base64' }),
  nodyn('file.read', 'read_file', { path: '/work/a.txt' }),
  lynkr(
    'file.read',
    'Read',
    { file_path: '/work/a.txt' },
    { optional: { offset: 10, limit: 20 }, renamed: { file_path: 'path' } },
  ),
  flynn('file.write', { path: 'a.txt', content: 'x' }),
  nodyn('file.write', 'write_file', { path: '/work/a.txt', content: 'x' }),
  lynkr('file.write', 'Write', { file_path: '/work/a.txt', content: 'x' }, { renamed: { file_path: 'path' } }),
  flynn('file.edit', { path: 'a.txt', search: 'x', replace: 'y' }),
  lynkr(
    'file.edit',
    'Edit',
    { file_path: '/work/a.txt', old_string: 'x', new_string: 'y' },
    {
      optional: { replace_all: true },
      renamed: { file_path: 'path', old_string: 'search', new_string: 'replace' },
    },
  ),
  flynn('file.list', {}, { path: 'src', recursive: true }),
  ours('file.glob', { pattern: '**/*.ts' }, { path: 'src', limit: 5 }),
  lynkr('file.glob', 'Glob', { pattern: 'src/**/*.test.js' }, { optional: { path: 'src' } }),
  ours('file.grep', { pattern: 'x' }, { ignore_case: true, context: 2, multiline: true }),
  lynkr(
    'file.grep',
    'Grep',
    { pattern: 'function.*Auth' },
    { optional: { path: 'src', glob: '*.js', type: 'js', output_mode: 'content' } },
  ),
  ours('file.batch', { operation: 'move', pattern: '*.txt' }, { destination: 'old', recursive: true }),
  nodyn(
    'file.batch',
    'batch_files',
    { operation: 'rename', pattern: '*.txt' },
    { optional: { directory: 'src', replacement: '$1.md' } },
  ),
  nodyn(
    'file.batch',
    'batch_files',
    { operation: 'transform', pattern: '*.txt' },
    { optional: { directory: 'src', find: 'x', replace: 'y' } },
  ),
  ours('vfs.read', { path: '/a.txt' }),
  iofold('vfs.read', 'read_file', { path: '/data/report.txt' }),
  ours('vfs.write', { path: '/a.txt', content: 'x' }),
  iofold('vfs.write', 'write_file', { path: '/output/results.json', content: '{}' }),
  ours('vfs.list', {}, { path: '/' }),
  iofold('vfs.list', 'list_files', {}, { optional: { path: '/data' } }),
  flynn('shell.exec', { command: 'ls' }, { cwd: 'src', timeout: 30_000 }),
  nodyn(
    'shell.exec',
    'bash',
    { command: 'ls' },
    { optional: { timeout_ms: 1_000 }, renamed: { timeout_ms: 'timeout' } },
  ),
  lynkr('shell.exec', 'Bash', { command: 'npm test' }, { optional: { timeout: 60_000 } }),
  flynn('process.start', { command: 'node' }, { args: ['server.js'], cwd: 'src' }),
  flynn('process.status', { pid: 7 }),
  flynn('process.kill', { pid: 7 }, { signal: 'SIGKILL' }),
  ours('python.exec', { code: 'print(1)' }),
  iofold('python.exec', 'execute_python', { code: 'import json\nprint(json.dumps(42))' }),
  flynn('git.status', {}, { path: '.' }),
  lynkr('git.status', 'git_status'),
  ours('git.diff', {}, { path: '.', files: ['a.txt'] }),
  lynkr('git.diff', 'git_diff', {}, { optional: { staged: false } }),
  ours('git.commit', { message: 'm' }, { path: '.' }),
  lynkr('git.commit', 'git_commit', { message: 'm' }, { optional: { files: ['src/auth.js', 'test/auth.test.js'] } }),
  flynn(
    'web.fetch',
    { url: 'https://example.com/' },
    { method: 'POST', headers: { accept: 'text/html' }, body: 'x', timeout: 10_000 },
  ),
  ours('http.request', { url: 'https://example.com/' }, { timeout_ms: 1_000 }),
  nodyn(
    'http.request',
    'http_request',
    { url: 'https://example.com/' },
    { optional: { method: 'PATCH', headers: { accept: '*/*' }, body: '{}' } },
  ),
  flynn('web.search', { query: 'x' }, { limit: 10 }),
  ours('browser.navigate', { url: 'https://example.com/' }, { timeout: 1_000 }),
  ours('browser.screenshot', {}, { full_page: true, selector: 'main' }),
  ours('browser.click', { selector: 'button' }),
  ours('browser.type', { selector: 'input', text: 'x' }, { submit: true }),
  ours('browser.content', {}, { format: 'html', selector: 'main', offset: 0, limit: 100 }),
  ours('browser.eval', { script: '1 + 1' }, { timeout: 1_000 }),
  flynn('memory.read', { namespace: 'knowledge' }),
  nodyn('memory.read', 'memory_recall', { namespace: 'project-state' }),
  flynn('memory.write', { namespace: 'knowledge', content: 'x' }),
  nodyn('memory.write', 'memory_store', { namespace: 'learnings', content: 'x' }),
  flynn('memory.search', { query: 'x' }, { namespace: 'knowledge', limit: 3, keywordOnly: true }),
  lynkr('memory.search', 'memory_search', { query: 'authentication preferences' }),
  flynn('media.send', picture, { filename: 'a.png' }),
  flynn('image.analyze', picture, { prompt: 'Which colour?' }),
  flynn('audio.transcribe', { data: 'T2dnUw==', mimeType: 'audio/ogg' }),
  form('nodyn')('ask_user', 'ask_user', { question: 'Which?' }, { optional: { options: ['a', 'b'] } }),
  flynn('sessions.list'),
  ours('sessions.delete', { id: 'cnv_1' }),
  flynn('system.info'),
]
