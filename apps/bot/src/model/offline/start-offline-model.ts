import { randomBytes } from 'node:crypto'
import { offlineModelName } from '@quartermaster/db'
import { limits } from '../../limits.ts'
import { answerOffline } from './answer-offline.ts'
import { authorize } from './authorize.ts'
import { checkRequest } from './check-request.ts'
import { replyOf, type Script } from './reply.ts'
import { serveMessages } from './serve-messages.ts'

export interface OfflineModel {
  /** What the model port is given in place of a provider's address and key. */
  baseUrl: string
  apiKey: string
  close(): Promise<void>
}

export interface OfflineModelOptions {
  /** Other answers than the offline model's own, for tests. */
  script?: Script
  /** Makes the ids of messages and tool calls; the same seed makes the same ones. */
  seed?: string
}

/**
 * The model for a machine without any account: it speaks the provider's API on a free port of this machine, so that
 * everything from the SDK on is the same as with a real one. Its key is made anew at each start; no other program and
 * no web page can talk to it.
 */
export async function startOfflineModel({
  script = answerOffline,
  seed,
}: OfflineModelOptions = {}): Promise<OfflineModel> {
  const apiKey = `offline-${randomBytes(24).toString('hex')}`
  const server = await serveMessages({
    authorize: (headers) => authorize(headers, [apiKey]),
    check: (body) => checkRequest(body, { betas: [], models: null, maxOutputTokens: 128_000 }),
    reply: (request, index) => replyOf(script, request, index),
    modelName: () => offlineModelName,
    maxBodyBytes: limits.modelRequestBytes,
    ...(seed !== undefined && { seed }),
  })
  return { baseUrl: server.url, apiKey, close: () => server.close() }
}
