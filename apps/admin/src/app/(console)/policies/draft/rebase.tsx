import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import type { ChangeLine } from '../../../../policy/describe-changes.ts'
import { rebaseDraft } from '../actions.ts'
import { Changes } from './changes.tsx'

/** What became live after the draft was begun, and the way to go on with both. */
export function Rebase({ seen, lines }: { seen: string; lines: readonly ChangeLine[] }) {
  return (
    <section
      aria-labelledby="live-changed"
      className="min-w-0 rounded-[10px] border border-warn/60 bg-panel shadow-lift"
    >
      <div className="flex flex-wrap items-start justify-between gap-3 px-4 pt-3 pb-1.5">
        <div className="min-w-0">
          <h2 id="live-changed" className="font-semibold text-sm">
            The live policy was changed after this draft was begun
          </h2>
          <p className="text-ink-3 text-xs">
            Publishing is refused until the draft takes this over. Its own changes stay on top of it.
          </p>
        </div>
        <ConfirmButton
          action={rebaseDraft}
          fields={{ seen }}
          title="Take over what is live?"
          about="This draft’s changes are put on top of the live policy of now. Where both changed one thing, the draft’s stands, and is shown among the changes before anything is published."
          confirm="Take it over"
          keep="Not yet"
          trigger={<Button className="max-sm:h-10">Take over what is live…</Button>}
        />
      </div>
      <Changes lines={lines} label="What became live meanwhile" />
    </section>
  )
}
