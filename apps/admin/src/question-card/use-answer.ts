'use client'

import { useState } from 'react'
import { answerCard } from './answer-card.ts'
import type { CardView } from './view.ts'

export interface GivenAnswer {
  verdict: 'approve' | 'deny'
  value?: unknown
  reason?: string
  lease?: boolean
  editedArguments?: unknown
}

/** Resolves with what is wrong, or null when the answer counts. */
export type GiveAnswer = (answer: GivenAnswer) => Promise<string | null>

/** Called after each answer; with what became of it where it counts. */
export type OnAnswered = (counted: string | null) => Promise<void>

export function useAnswer(card: Pick<CardView, 'id' | 'digest'>, onAnswered: OnAnswered) {
  const [busy, setBusy] = useState(false)
  const [mistake, setMistake] = useState<string | null>(null)
  // Of the card as it was: one that is read anew says by itself what became of it.
  const [counted, setCounted] = useState<{ of: typeof card; said: string } | null>(null)
  const give: GiveAnswer = async ({ verdict, value, reason, lease, editedArguments }) => {
    setBusy(true)
    setMistake(null)
    const form = new FormData()
    form.set('questionId', card.id)
    form.set('verdict', verdict)
    // It says what the person saw: if something else stands there by now, the answer does not count.
    if (card.digest) form.set('argumentsDigest', card.digest)
    if (value !== undefined) form.set('value', JSON.stringify(value))
    if (reason) form.set('reason', reason)
    if (lease) form.set('lease', '1')
    if (editedArguments !== undefined) form.set('editedArguments', JSON.stringify(editedArguments))
    try {
      const result = await answerCard(null, form)
      const wrong = result.ok ? null : [result.message, ...Object.values(result.fields ?? {})].join(' ')
      setMistake(wrong)
      if (result.ok) setCounted({ of: card, said: result.message })
      // Also where it did not count: then the card shows what happened meanwhile.
      await onAnswered(result.ok ? result.message : null).catch(() => {})
      return wrong
    } catch {
      const wrong = 'The console did not answer. Try again.'
      setMistake(wrong)
      return wrong
    } finally {
      setBusy(false)
    }
  }
  return { give, busy, mistake, counted: counted?.of === card ? counted.said : null }
}

export interface AnsweringProps {
  card: CardView
  give: GiveAnswer
  busy: boolean
}
