import { atLeast, chooseAgent, listChoosableAgents } from '@quartermaster/db'
import type { Command } from './command.ts'

export const agentCommand: Command = {
  about: 'says who answers here, and lets you choose another agent.',
  async run({ db }, given) {
    const agents = await listChoosableAgents(db, given)
    const now = agents.find(({ chosen }) => chosen)
    const mayChoose = given.isDirect || atLeast(given.role, 'admin')
    if (!given.argument) {
      const here = now
        ? `**${now.name}** answers here.${now.description ? ` ${now.description}` : ''}`
        : 'No agent answers here.'
      if (!mayChoose) return { markdown: `${here}\n\nOnly an admin or an owner chooses who answers in a shared place.` }
      if (agents.length < 2) return { markdown: `${here}\n\nThere is no other agent to choose.` }
      const options = agents.map(({ id, name, chosen }) => ({ label: name, value: id, ...(chosen ? { chosen } : {}) }))
      return { markdown: `${here}\n\nWho shall answer?`, choices: { command: 'agent', options } }
    }
    if (!mayChoose) return { markdown: 'Only an admin or an owner chooses who answers in a shared place.' }
    const wanted = given.argument.toLowerCase()
    const chosen = agents.find(({ id, slug, name }) => [id, slug, name].some((one) => one.toLowerCase() === wanted))
    if (!chosen) {
      const names = agents.map(({ name }) => name).join(', ')
      return { markdown: `There is no agent of that name.${names ? ` There are: ${names}.` : ''}` }
    }
    await chooseAgent(db, { ...given, agentId: chosen.id })
    return { markdown: `From now on **${chosen.name}** answers here.` }
  },
}
