import { CircleCheck } from 'lucide-react'
import Link from 'next/link'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'
import { formatAgo } from '../../../format.ts'
import { mostQuestions, type OpenQuestion } from './queries.ts'

interface QuestionListProps {
  questions: OpenQuestion[]
  total: number
  now: Date
  timezone: string
}

export function QuestionList({ questions, total, now, timezone }: QuestionListProps) {
  return (
    <Card aria-labelledby="open-questions">
      <CardHeader id="open-questions" title="Open questions">
        <span className="shrink-0 text-ink-3 text-xs">
          {total > questions.length && (
            <>
              the newest {questions.length} of {total > mostQuestions ? `${mostQuestions}+` : total} ·{' '}
            </>
          )}
          <Link href="/approvals?show=open" className="hover:text-ink">
            All questions
          </Link>
        </span>
      </CardHeader>
      {questions.length === 0 ? (
        <EmptyState icon={CircleCheck} title="Nobody is waiting for an answer">
          When an agent needs a decision it asks in its thread, and the question is listed here until it is answered.
        </EmptyState>
      ) : (
        <ul>
          {questions.map((question) => (
            <li
              key={question.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-line border-t px-4 py-2"
            >
              <Link href={`/approvals/${question.id}`} className="truncate font-medium hover:underline">
                {question.title}
              </Link>
              <span className="justify-self-end">
                <Tag tone="wait" dot>
                  {formatAgo(question.expiresAt, now).replace(/^in /, '')} left
                </Tag>
              </span>
              <p className="truncate text-ink-3 text-xs">
                {question.agent}
                {question.tool && (
                  <>
                    {' · '}
                    <code className="font-mono text-2xs">{question.tool}</code>
                  </>
                )}
                {question.requester && ` · for ${question.requester}`}
              </p>
              <p className="text-right text-ink-3 text-xs">
                asked <When date={question.askedAt} now={now} timezone={timezone} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
