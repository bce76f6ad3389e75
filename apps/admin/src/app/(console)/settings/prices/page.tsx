import type { Price, StoredPrice } from '@quartermaster/db'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { requireMember } from '../../../../session.ts'
import { amounts } from './amounts.ts'
import { PriceForm } from './price-form.tsx'
import { RemoveButton } from './remove-button.tsx'

export const metadata: Metadata = { title: 'Prices' }

interface PricesPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function PricesPage({ searchParams }: PricesPageProps) {
  const { membership } = await requireMember('admin')
  const own = await data.readPrices(runtime().db, membership.workspaceId)
  const { model: asked } = await searchParams
  const rows = listPrices(own)
  const chosen = rows.find(({ model }) => model === asked)
  return (
    <>
      <Card aria-labelledby="prices-card">
        <CardHeader
          id="prices-card"
          title="Prices"
          about="US dollars for a million tokens. What runs cost, and when a budget is used up, is counted with these; a model that is not here counts at the dearest of them."
        />
        <Table label="Prices of models">
          <thead>
            <tr>
              <HeadCell>Model</HeadCell>
              {amounts.map(({ name, label }) => (
                <HeadCell key={name} className="text-right">
                  {label}
                </HeadCell>
              ))}
              <HeadCell>
                <span className="sr-only">Remove</span>
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ model, price, isOwn, usual }) => (
              <Row key={model}>
                <Cell>
                  <span className="flex items-center gap-2">
                    <Link
                      href={{ query: { model } }}
                      scroll={false}
                      aria-label={`Change the price of ${model}`}
                      className="font-mono text-xs hover:underline"
                    >
                      {model}
                    </Link>
                    <Tag tone={isOwn ? 'accent' : 'mute'}>{isOwn ? 'own' : 'usual'}</Tag>
                  </span>
                </Cell>
                {amounts.map(({ name }) => (
                  <Cell key={name} className="text-right tabular-nums">
                    {dollars.format(price[name])}
                  </Cell>
                ))}
                <Cell className="w-0">{isOwn && <RemoveButton model={model} usual={usual} />}</Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      </Card>
      <Card aria-labelledby="price-card">
        <CardHeader
          id="price-card"
          title={chosen ? `Change the price of ${chosen.model}` : 'Add a price'}
          about="For what your provider charges you. It holds within half a minute, for what is used from then on."
        >
          {chosen && (
            <Link href="/settings/prices" scroll={false} className="text-ink-3 text-xs hover:underline">
              Another model
            </Link>
          )}
        </CardHeader>
        <PriceForm model={chosen?.model ?? ''} price={chosen?.said ?? null} />
      </Card>
    </>
  )
}

interface PriceRow {
  model: string
  price: Price
  /** What somebody would type to say so: the rest follows from it. */
  said: StoredPrice
  isOwn: boolean
  usual: boolean
}

/** The workspace's own first, then the usual ones that they do not replace. */
function listPrices(own: Record<string, StoredPrice>): PriceRow[] {
  const usual = data.defaultPrices
  return [
    ...Object.entries(own).map(([model, price]) => ({
      model,
      price: data.wholePrice(price),
      said: price,
      isOwn: true,
      usual: Object.hasOwn(usual, model),
    })),
    ...Object.entries(usual)
      .filter(([model]) => !Object.hasOwn(own, model))
      .map(([model, price]) => ({
        model,
        price,
        said: { input: price.input, output: price.output },
        isOwn: false,
        usual: true,
      })),
  ]
}

const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
  maximumFractionDigits: 4,
})
