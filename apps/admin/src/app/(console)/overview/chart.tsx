'use client'

import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { formatCost, formatCount, formatDuration } from '../../../format.ts'

interface Series {
  key: string
  name: string
  color: string
}

export interface ChartProps {
  kind: 'bars' | 'lines' | 'area'
  unit: 'count' | 'duration' | 'cost'
  /** Drawn, and stacked, in this order. */
  series: Series[]
  points: ({ label: string } & Record<string, string | number | null>)[]
}

const formats = { count: formatCount, duration: formatDuration, cost: formatCost }
const charts = { bars: BarChart, lines: LineChart, area: AreaChart }
/** Times spread over many sizes, from a quick answer to a day of waiting: each line here is a step of about ten times. */
const durationTicks = [100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000]
/** Millionths of a dollar. An axis that ends below this has labels that say nothing, as for a workspace without a run. */
const leastCostAxis = 30_000
const tick = { fontSize: 10.5, fill: 'var(--ink-3)' }

export function Chart({ kind, unit, series, points }: ChartProps) {
  const format = formats[unit]
  const Container = charts[kind]
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Container
        data={points}
        accessibilityLayer={false}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        {...(kind === 'bars' ? { barCategoryGap: '22%' } : {})}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" strokeDasharray="2 4" />
        <XAxis dataKey="label" tick={tick} tickLine={false} axisLine={false} minTickGap={28} height={20} />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          width={48}
          tickCount={4}
          {...(unit === 'duration' ? logarithmic(points, series) : {})}
          {...(unit === 'cost' ? { domain: [0, (most: number) => Math.max(most, leastCostAxis)] } : {})}
          allowDecimals={unit !== 'count'}
          tickFormatter={(value) => format(Number(value)).replace(/ 0[ms]$|\.0(?= s)/, '')}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--sunken)', stroke: 'var(--line-strong)', strokeWidth: kind === 'bars' ? 0 : 1 }}
          content={({ active, label, payload }) =>
            active && payload?.length ? (
              <div className="rounded-md bg-panel px-2.5 py-1.5 text-xs shadow-float">
                <p className="text-ink-3">{label}</p>
                {[...payload].reverse().map((entry) => (
                  <p key={String(entry.dataKey)} className="flex justify-between gap-4 tabular-nums">
                    <span className="flex items-center gap-1.5 text-ink-2">
                      <span className="size-2 rounded-[3px]" style={{ background: entry.color }} />
                      {entry.name}
                    </span>
                    <span className="font-medium text-ink">{format(Number(entry.value))}</span>
                  </p>
                ))}
              </div>
            ) : null
          }
        />
        {series.map(({ key, name, color }, index) => {
          const common = { dataKey: key, name, isAnimationActive: false }
          if (kind === 'bars')
            return (
              <Bar
                key={key}
                {...common}
                stackId="all"
                fill={color}
                maxBarSize={30}
                radius={index === series.length - 1 ? [2.5, 2.5, 0, 0] : 0}
              />
            )
          if (kind === 'lines')
            return (
              <Line key={key} {...common} type="monotone" stroke={color} strokeWidth={1.75} dot={false} connectNulls />
            )
          return (
            <Area
              key={key}
              {...common}
              type="monotone"
              stroke={color}
              strokeWidth={1.75}
              fill={color}
              fillOpacity={0.12}
              dot={false}
            />
          )
        })}
      </Container>
    </ResponsiveContainer>
  )
}

function logarithmic(points: ChartProps['points'], series: Series[]) {
  const values = points
    .flatMap((point) => series.map(({ key }) => Number(point[key]) || 0))
    .filter((value) => value > 0)
  // There is an axis to see before there is anything to draw.
  const least = values.length ? Math.min(...values, 10_000) : 1_000
  const most = values.length ? Math.max(...values, 10_000) : 60_000
  const from = durationTicks.findLast((value) => value <= least) ?? 100
  const to = durationTicks.find((value) => value >= most) ?? most
  return {
    scale: 'log' as const,
    domain: [from, to],
    ticks: durationTicks.filter((value) => value >= from && value <= to),
    allowDataOverflow: true,
  }
}
