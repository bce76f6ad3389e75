// Files that the agent sent, on the page and by their address.
import { claimDelivery, confirmDelivery, enqueueDelivery } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { startSession } from './playground-session.ts'

const it = useConsole()
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const html = Buffer.from('<script>alert(document.cookie)</script>').toString('base64')

async function sendFile(
  conversationId: string,
  file: { filename: string; mimeType: string; data: string; caption?: string },
) {
  const queued = await enqueueDelivery(it.db, { conversationId, kind: 'media', payload: { kind: 'media', ...file } })
  const claimed = await claimDelivery(it.db, { processId: 'test', conversationId })
  if (!claimed || !queued) throw new Error('expected a delivery')
  await confirmDelivery(it.db, claimed, null)
  return `/api/playground/sessions/${conversationId}/files/${queued.id}`
}

test('a picture is shown, anything else is a download that runs nothing, and both are there after a reload', async () => {
  const { conversationId } = await startSession(it, it.people.member)
  const page = await it.page({ as: it.people.member })
  await page.goto(`/playground/${conversationId}`)
  await sendFile(conversationId, { filename: 'dot.png', mimeType: 'image/png', data: dot, caption: 'A dot' })
  const address = await sendFile(conversationId, { filename: 'page "a".html', mimeType: 'text/html', data: html })
  for (const look of ['live', 'reloaded']) {
    const picture = page.getByRole('img', { name: 'A dot' })
    await picture.waitFor()
    await expect
      .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), { message: look })
      .toBe(1)
    const link = page.getByRole('link', { name: 'page "a".html' })
    await link.waitFor()
    const downloading = page.waitForEvent('download')
    await link.click()
    expect((await downloading).suggestedFilename()).toMatch(/^page .a.\.html$/)
    await page.reload()
  }
  const { headers, body } = await page.evaluate(async (url) => {
    const answer = await fetch(url)
    return { headers: Object.fromEntries(answer.headers), body: await answer.text() }
  }, address)
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment;/),
    'x-content-type-options': 'nosniff',
  })
  expect(body).toContain('alert')
})

test('a file is its member’s alone', async () => {
  const { conversationId } = await startSession(it, it.people.member)
  const address = await sendFile(conversationId, { filename: 'dot.png', mimeType: 'image/png', data: dot })
  for (const person of [it.people.admin, it.people.owner]) {
    const page = await it.page({ as: person })
    await page.goto('/playground')
    expect(await page.evaluate((url) => fetch(url).then(({ status }) => status), address)).toBe(404)
  }
  const other = await startSession(it, it.people.admin)
  const elsewhere = address.replace(conversationId, other.conversationId)
  const page = await it.page({ as: it.people.admin })
  await page.goto('/playground')
  expect(await page.evaluate((url) => fetch(url).then(({ status }) => status), elsewhere)).toBe(404)
})
