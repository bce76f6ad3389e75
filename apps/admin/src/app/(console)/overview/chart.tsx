// Drawn by the server, as markup: it is there with the first paint, takes no script, and is as wide as its frame.
import { classNames } from '../../../components/class-names.ts'
import { formatCost, formatCount, formatDuration } from '../../../format.ts'
import { type Scale, scaleFor } from './scale.ts'
import { smoothPath } from './smooth-path.ts'

interface Series {
  key: string
  name: string
  color: string
}

export type ChartPoint = { label: string } & Record<string, string | number | null>

interface ChartProps {
  kind: 'bars' | 'lines' | 'area'
  unit: 'count' | 'duration' | 'cost'
  /** Drawn, and stacked, in this order. */
  series: Series[]
  points: ChartPoint[]
  /** What it shows, for those who do not see it. */
  summary: string
}

const formats = { count: formatCount, duration: formatDuration, cost: formatCost }
/** More labels than this would meet each other under a narrow chart. */
const mostLabels = 6

export function Chart({ kind, unit, series, points, summary }: ChartProps) {
  const format = formats[unit]
  const scale = scaleFor(
    unit,
    points.map((point) => series.map(({ key }) => numberOf(point[key]))),
    kind === 'bars',
  )
  return (
    <figure className="h-[168px] px-2 pb-2">
      <figcaption className="sr-only">{summary}</figcaption>
      <div aria-hidden="true" data-chart={kind} className="relative h-full text-[10.5px] text-ink-3 leading-4">
        <div className="absolute top-2 right-2 bottom-5 left-12">
          {scale.ticks.map((tick) => (
            <div
              key={tick}
              className="absolute inset-x-0 border-line border-t border-dashed"
              style={{ bottom: percent(scale.at(tick)) }}
            >
              <span className="absolute right-full -translate-y-1/2 whitespace-nowrap pr-2 tabular-nums">
                {format(tick).replace(/ 0[ms]$|\.0(?= s)/, '')}
              </span>
            </div>
          ))}
          {kind === 'bars' ? (
            <Bars series={series} points={points} scale={scale} />
          ) : (
            <Lines kind={kind} series={series} points={points} scale={scale} />
          )}
          <Columns series={series} points={points} format={format} isBars={kind === 'bars'} />
        </div>
      </div>
    </figure>
  )
}

const numberOf = (value: string | number | null | undefined) => (typeof value === 'number' ? value : null)
const percent = (share: number) => `${(share * 100).toFixed(2)}%`

function Bars({ series, points, scale }: { series: Series[]; points: ChartPoint[]; scale: Scale }) {
  return (
    <div className="absolute inset-0 flex">
      {points.map((point) => {
        let below = 0
        return (
          <div key={point.label} className="relative min-w-0 flex-1">
            {series.map(({ key, color }, index) => {
              const value = numberOf(point[key]) ?? 0
              const from = scale.at(below)
              below += value
              return (
                <span
                  key={key}
                  className={classNames(
                    'absolute inset-x-[11%] mx-auto max-w-8',
                    index === series.length - 1 && 'rounded-t-[2.5px]',
                  )}
                  style={{ bottom: percent(from), height: percent(scale.at(below) - from), background: color }}
                />
              )
            })}
          </div>
        )
      })}
    </div>
  )
}

interface LinesProps {
  kind: 'lines' | 'area'
  series: Series[]
  points: ChartPoint[]
  scale: Scale
}

function Lines({ kind, series, points, scale }: LinesProps) {
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" className="absolute inset-0 size-full" aria-hidden="true">
      {series.map(({ key, color }) => {
        const drawn = points.flatMap((point, index) => {
          const value = numberOf(point[key])
          return value === null ? [] : [{ x: ((index + 0.5) / points.length) * 100, y: 100 - scale.at(value) * 100 }]
        })
        if (!drawn.length) return null
        const line = smoothPath(drawn)
        return (
          <g key={key}>
            {kind === 'area' && (
              <path d={`${line} L ${drawn.at(-1)?.x} 100 L ${drawn[0]?.x} 100 Z`} fill={color} fillOpacity={0.12} />
            )}
            <path
              d={line}
              fill="none"
              stroke={color}
              strokeWidth={1.75}
              strokeLinecap="round"
              vectorEffect="non-scaling-stroke"
            />
          </g>
        )
      })}
    </svg>
  )
}

interface ColumnsProps {
  series: Series[]
  points: ChartPoint[]
  format: (value: number) => string
  isBars: boolean
}

/** A column a point: its label under it, and its numbers while the pointer is over it. */
function Columns({ series, points, format, isBars }: ColumnsProps) {
  const every = Math.ceil(points.length / mostLabels)
  return (
    <div className="absolute inset-0 flex">
      {points.map((point, index) => (
        <div key={point.label} className="group relative min-w-0 flex-1">
          {!isBars && <span className="absolute inset-y-0 left-1/2 hidden w-px bg-line-strong group-hover:block" />}
          {/* Counted from the end: the newest one has its label. */}
          {(points.length - 1 - index) % every === 0 && (
            <span className="absolute top-full left-1/2 -translate-x-1/2 whitespace-nowrap pt-1">{point.label}</span>
          )}
          <div
            className={classNames(
              'pointer-events-none absolute top-0 z-10 hidden w-max rounded-md bg-panel px-2.5 py-1.5 text-xs shadow-float group-hover:block',
              index * 2 < points.length ? 'left-full' : 'right-full',
            )}
          >
            <p>{point.label}</p>
            {[...series].reverse().map(({ key, name, color }) => {
              const value = numberOf(point[key])
              return (
                <p key={key} className="flex justify-between gap-4 tabular-nums">
                  <span className="flex items-center gap-1.5 text-ink-2">
                    <span className="size-2 rounded-[3px]" style={{ background: color }} />
                    {name}
                  </span>
                  <span className="font-medium text-ink">{value === null ? '—' : format(value)}</span>
                </p>
              )
            })}
          </div>
        </div>
      ))}
    </div>
  )
}
