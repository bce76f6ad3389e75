import type { Metadata } from 'next'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { Facts } from '../../../../components/facts.tsx'
import { type PolicyView, readPolicyView } from '../../../../policy/read-policy.ts'
import { requireMember } from '../../../../session.ts'
import { deleteProviderLayer, deleteSkillLayer } from '../edit-actions.ts'
import { EditToggle } from '../edit-toggle.tsx'
import { Frame } from '../frame.tsx'
import { PatternTags } from '../pattern-tags.tsx'
import { profileNames } from '../profile-names.ts'
import { ProviderForm, SkillForm } from './layer-forms.tsx'

export const metadata: Metadata = { title: 'Providers & skills' }

export default async function LayersPage() {
  const view = await readPolicyView(await requireMember('viewer'))
  const providers = Object.entries(view.content.settings.providers)
  const profiles = profileNames(view)
  return (
    <Frame view={view} chosen="/policies/layers">
      <h2 className="mt-1 font-semibold text-sm">Providers</h2>
      <p className="-mt-2 text-ink-3 text-xs">
        What a model’s provider may be given: an agent that runs on one has only what both leave. A provider without a
        layer narrows nothing.
      </p>
      {providers.length === 0 && <p className="text-ink-2">No provider has a layer of its own.</p>}
      {providers.map(([name, layer]) => (
        <Card key={name} aria-label={`Provider ${name}`}>
          <CardHeader title={name} />
          <div className="min-h-8 px-4 pb-3 sm:pr-24">
            <Facts
              facts={[
                ['Profile', layer.profile ?? 'none: starts from everything'],
                ['Allow', layer.allow?.length ? <PatternTags key="a" patterns={layer.allow} none="" /> : null],
                ['Deny', <PatternTags key="d" patterns={layer.deny ?? []} none="Nothing." />],
              ]}
            />
          </div>
          {view.mayEdit && (
            <EditToggle label={`Edit the layer of ${name}`} short="Edit">
              <ProviderForm seen={view.seen} name={name} layer={layer} profiles={profiles} />
              <Delete view={view} kind="provider" name={name} />
            </EditToggle>
          )}
        </Card>
      ))}
      {view.mayEdit && (
        <Card aria-label="Another provider">
          <CardHeader title="Another provider" />
          <EditToggle label="Give a provider a layer">
            <ProviderForm seen={view.seen} name={null} layer={{}} profiles={profiles} />
          </EditToggle>
        </Card>
      )}
      <h2 className="mt-3 font-semibold text-sm">Skills</h2>
      <p className="-mt-2 text-ink-3 text-xs">
        A call that comes out of a skill has only what the skill’s permissions name. Tools override groups; a skill
        without either has nothing.
      </p>
      {view.content.skills.length === 0 && <p className="text-ink-2">There is no skill yet.</p>}
      {view.content.skills.map((skill) => (
        <Card key={skill.name} aria-label={`Skill ${skill.name}`}>
          <CardHeader title={skill.name} about={skill.description || undefined} />
          <div className="min-h-8 px-4 pb-3 sm:pr-24">
            <PatternTags
              patterns={
                skill.tools.length
                  ? skill.tools
                  : skill.toolGroups.map((group) => group.replace(/^(?!group:)/, 'group:'))
              }
              none="It may use nothing."
            />
          </div>
          {view.mayEdit && (
            <EditToggle label={`Edit the skill ${skill.name}`} short="Edit">
              <SkillForm seen={view.seen} skill={skill} />
              <Delete view={view} kind="skill" name={skill.name} />
            </EditToggle>
          )}
        </Card>
      ))}
      {view.mayEdit && (
        <Card aria-label="A new skill">
          <CardHeader title="A new skill" />
          <EditToggle label="Add a skill">
            <SkillForm seen={view.seen} skill={null} />
          </EditToggle>
        </Card>
      )}
    </Frame>
  )
}

function Delete({ view, kind, name }: { view: PolicyView; kind: 'provider' | 'skill'; name: string }) {
  const isSkill = kind === 'skill'
  const what = isSkill ? `the skill ${name}` : `the layer of ${name}`
  return (
    <div className="flex justify-end px-4 pb-4">
      <ConfirmButton
        action={isSkill ? deleteSkillLayer : deleteProviderLayer}
        fields={{ seen: view.seen, name }}
        title={`Delete ${what}?`}
        about={
          isSkill
            ? 'Its instructions and permissions go when the draft is published; calls out of it then have no tools.'
            : `When the draft is published, agents on ${name} are narrowed by it no more.`
        }
        confirm="Delete it"
        trigger={
          <Button look="danger" size="small" className="max-sm:h-10">
            Delete {what}…
          </Button>
        }
      />
    </div>
  )
}
