import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const compress = promisify(brotliCompress)
/** As many as Node compresses side by side. */
const atOnce = 4

/** Writes each script and style of a build compressed beside it, for apps/admin/src/serve-compressed.ts. */
export async function compressStatic(build: string): Promise<void> {
  const root = join(build, 'static')
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) => /\.(js|css)$/.test(name))
  const next = files[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const file of next) {
        const content = await readFile(join(root, file))
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        }
        await writeFile(join(root, `${file}.br`), await compress(content, { params }))
      }
    }),
  )
}
