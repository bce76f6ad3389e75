import { fromApiName, unwrapUntrusted } from '@quartermaster/tools'
import { parseToolLines, type ToolLine } from '../../parse-tool-lines.ts'
import { argumentNames, helpPattern, otherPhrases, type Phrase, phrases, stepBorder } from './phrases.ts'
import type { MessagesRequest, Reply, ReplyBlock, RequestBlock, RequestMessage, RequestTool } from './reply.ts'

/** The last line of every final answer. */
export const offlineFooter =
  '— Offline model: no model is connected, so this answer comes from a few fixed phrases, not from an AI. To connect one, set ANTHROPIC_API_KEY (docs/model.md).'

/** How much of what people say is looked at; the patterns stay fast. */
const longestRequest = 4000
/** How much of a tool's result is repeated. */
const longestResult = 1500

/** The offline model itself: what it answers depends on the request and on nothing else. */
export function answerOffline(request: MessagesRequest): Reply {
  const tools = request.tools ?? []
  const start = request.messages.findLastIndex((message) => message.role === 'user' && saidIn(message))
  const said = start < 0 ? '' : saidIn(request.messages[start] as RequestMessage).slice(0, longestRequest)
  // Each of the model's own messages since then was one step.
  const done = request.messages.slice(start + 1).filter(({ role }) => role === 'assistant').length
  const results = resultsIn(request.messages)
  if (results.some(({ failed }) => failed)) return final(results.map(describeResult).join('\n\n'))
  const steps = said.startsWith('!') || /\n!/.test(said) ? [said] : said.split(stepBorder)
  const step = steps[done]?.trim()
  const told = results.map(describeResult)
  if (step === undefined) return final(told.join('\n\n') || 'Done.')
  const next = answerStep(step, tools)
  return next.final ? final([...told, next.text].join('\n\n')) : { content: [...told.map(asText), ...next.content] }
}

type StepAnswer = { final: true; text: string } | { final: false; content: ReplyBlock[] }

function answerStep(said: string, tools: readonly RequestTool[]): StepAnswer {
  const lines = parseToolLines(said)
  if (lines) return callByName(lines, tools)
  const asked = said.replace(/(?<=\w)[.!]+$/, '')
  if (helpPattern.test(said)) return { final: true, text: help(tools) }
  for (const phrase of phrases)
    for (const pattern of phrase.patterns) {
      const match = pattern.exec(phrase.tools.includes('shell.exec') ? said : asked)
      if (match) return usePhrase(phrase, { ...match.groups }, tools)
    }
  return { final: true, text: `I do not understand that. ${help(tools)}` }
}

function usePhrase(
  phrase: Phrase,
  groups: Record<string, string | undefined>,
  tools: readonly RequestTool[],
): StepAnswer {
  const tool = phrase.tools.map((name) => findTool(name, tools)).find((found) => found !== null)
  if (!tool)
    return {
      final: true,
      text: `For this I need the tool ${phrase.tools.map((name) => `\`${name}\``).join(' or ')}, which I was not given here.`,
    }
  const said = Object.fromEntries(
    Object.entries(groups).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const values = { ...said, ...phrase.values?.(said) }
  return { final: false, content: [asText(phrase.intro), { tool: tool.name, input: fitArguments(values, tool) }] }
}

/** Those of one message are asked for at once. */
function callByName(lines: readonly ToolLine[], tools: readonly RequestTool[]): StepAnswer {
  const problems: string[] = []
  const calls: ReplyBlock[] = []
  for (const { name, input } of lines) {
    const tool = findTool(name, tools)
    if (!tool) problems.push(`There is no tool \`${name}\` among those that I was given here.`)
    else if (!input) problems.push(`What follows \`${name}\` is no JSON object.`)
    else calls.push({ tool: tool.name, input })
  }
  return problems.length ? { final: true, text: problems.join('\n') } : { final: false, content: calls }
}

/** By the exact name, or by its letters and digits: the API's names cannot have the dots of ours. */
function findTool(name: string, tools: readonly RequestTool[]): RequestTool | null {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return exact
  const alike = tools.filter((tool) => bare(tool.name) === bare(name))
  return alike.length === 1 ? (alike[0] as RequestTool) : null
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

function fitArguments(values: Record<string, unknown>, { input_schema }: RequestTool): Record<string, unknown> {
  const properties = input_schema?.properties
  const fitted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const candidates = argumentNames[name] ?? [name]
    const fits = properties ? candidates.find((candidate) => Object.hasOwn(properties, candidate)) : candidates[0]
    if (fits && !Object.hasOwn(fitted, fits)) fitted[fits] = value
  }
  return fitted
}

function help(tools: readonly RequestTool[]): string {
  const rows = [...phrases, ...otherPhrases].map(({ title, says }) => `- ${title}: \`${says[0]}\``)
  const given = tools.length
    ? `\n\nTools that I was given here: ${tools.map(({ name }) => `\`${nameOf(name)}\``).join(', ')}.`
    : ''
  return `You can say:\n${rows.join('\n')}${given}`
}

interface ToolOutcome {
  name: string
  failed: boolean
  output: string
}

/** The results that the last message brings, with the names of the tools that gave them. */
function resultsIn(messages: readonly RequestMessage[]): ToolOutcome[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return []
  const asked = messages.flatMap(blocksOf).filter(({ type }) => type === 'tool_use')
  return blocksOf(last)
    .filter(({ type }) => type === 'tool_result')
    .map((result) => ({
      name: String(asked.find(({ id }) => id === result.tool_use_id)?.name ?? 'the tool'),
      failed: result.is_error === true,
      output: textOf(result.content),
    }))
}

/** As people write it. */
const nameOf = (apiName: string): string => fromApiName(apiName) ?? apiName

function describeResult({ name: apiName, failed, output }: ToolOutcome): string {
  const name = nameOf(apiName)
  const text = unwrapUntrusted(output).trim()
  const shown =
    text.length > longestResult
      ? `${text.slice(0, longestResult)}\n[… ${text.length - longestResult} more characters]`
      : text
  // What failed after it had begun brings what it wrote until then, and the error at the end.
  if (failed && text.includes('\n\nError: ')) return `\`${name}\` failed:\n${fenced(shown)}`
  if (failed) return `\`${name}\` was not done: ${shown.replace(/^Error: /, '') || 'no reason was given.'}`
  if (!shown) return `\`${name}\` is done; it returned nothing.`
  return `\`${name}\` returned:\n${fenced(shown)}`
}

/** A fence that is longer than any in the text cannot be closed by it. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}\n${text}\n${fence}`
}

/** What a person said in a message; the last text counts, because what stands before it may be context. */
function saidIn(message: RequestMessage): string {
  if (typeof message.content === 'string') return message.content.trim()
  const texts = message.content.filter(({ type }) => type === 'text').map(({ text }) => String(text).trim())
  return texts.findLast(Boolean) ?? ''
}

const blocksOf = ({ content }: RequestMessage): RequestBlock[] => (typeof content === 'string' ? [] : content)

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part?.type === 'text' ? String(part.text) : `[${part?.type}]`)).join('\n')
}

const asText = (text: string): ReplyBlock => ({ text })
const final = (text: string): Reply => ({ content: [{ text: `${text}\n\n${offlineFooter}` }] })
