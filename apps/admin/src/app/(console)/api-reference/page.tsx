import type { Metadata } from 'next'
import { describeApi } from '../../../api/openapi.ts'
import type { OpenApiDocument } from '../../../api/openapi-document.ts'
import { endpoints } from '../../../api/registry.ts'
import { runtime } from '../../../runtime.ts'
import { ownOrigin, requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { Introduction } from './introduction.tsx'
import { Operation } from './operation.tsx'

export const metadata: Metadata = { title: 'API reference' }

let described: OpenApiDocument | null = null

/** The same document that /api/openapi.json is, for people to read. */
export default async function ApiReferencePage() {
  await requireMember('viewer')
  const origin = await ownOrigin()
  described ??= describeApi(endpoints, runtime().version)
  const { tags, paths, components } = described
  const areas = tags.map((tag) => ({
    ...tag,
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(tag.name))
        .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    ),
  }))
  return (
    <>
      <PageHeader title="API reference">
        <a href="/api/openapi.json" className="text-accent-strong text-sm hover:underline">
          OpenAPI document
        </a>
      </PageHeader>
      <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)] gap-6 p-4 md:p-5 lg:grid-cols-[180px_minmax(0,1fr)]">
        <nav aria-label="Areas of the API" className="lg:sticky lg:top-5 lg:self-start">
          <ul className="flex flex-wrap gap-x-1 gap-y-0.5 lg:flex-col">
            {areas.map(({ name, operations }) => (
              <li key={name}>
                <a
                  href={`#${name}`}
                  className="flex items-center justify-between gap-2 rounded-md px-2 py-1 text-ink-2 text-sm hover:bg-line/50 hover:text-ink max-lg:min-h-9"
                >
                  {name} <span className="text-2xs text-ink-3">{operations.length}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
          <Introduction origin={origin} />
          {areas.map(({ name, description, operations }) => (
            <section key={name} aria-labelledby={name} className="min-w-0">
              <h2 id={name} className="scroll-mt-4 font-semibold text-sm">
                {name}
              </h2>
              <p className="mb-2 text-ink-3 text-xs">{description}</p>
              <div className="divide-y divide-line rounded-[10px] border border-line bg-panel shadow-lift">
                {operations.map((each) => (
                  <Operation key={each.operation.operationId} {...each} origin={origin} schemas={components.schemas} />
                ))}
              </div>
            </section>
          ))}
        </div>
      </div>
    </>
  )
}
