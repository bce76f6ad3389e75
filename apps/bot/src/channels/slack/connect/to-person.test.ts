import { expect, test } from 'vitest'
import { toPerson } from './to-person.ts'

const ann = { id: 'U1', team_id: 'T1', name: 'ann', real_name: 'Ann Lee', profile: { display_name: 'Annie' } }

test('somebody of our team is no guest, and is called what they call themselves', () => {
  expect(toPerson('T1', 'U1', ann)).toEqual({ externalId: 'T1:U1', name: 'Annie' })
  expect(toPerson('T1', 'U1', { ...ann, profile: { display_name: '' } })).toMatchObject({ name: 'Ann Lee' })
  const ofGrid = { ...ann, team_id: 'T9', enterprise_user: { teams: ['T1', 'T2'] } }
  expect(toPerson('T1', 'U1', ofGrid)).not.toHaveProperty('isGuest')
})

test('guests, people of other teams, bots, ended accounts and whoever Slack does not know are guests', () => {
  for (const change of [
    { is_restricted: true },
    { is_ultra_restricted: true },
    { is_stranger: true },
    { team_id: 'T2' },
    { is_bot: true },
    { deleted: true },
  ])
    expect(toPerson('T1', 'U1', { ...ann, ...change }), JSON.stringify(change)).toMatchObject({ isGuest: true })
  expect(toPerson('T1', 'U1', undefined)).toEqual({ externalId: 'T1:U1', name: 'U1', isGuest: true })
})
