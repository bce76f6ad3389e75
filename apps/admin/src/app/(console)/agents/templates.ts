import type { AgentConfiguration } from '@quartermaster/db'

interface Template {
  label: string
  about: string
  configuration: Partial<AgentConfiguration>
}

/** What a new agent may begin as. All of it is changed in its draft before anybody meets it. */
export const templates: Record<string, Template> = {
  blank: { label: 'Blank', about: 'No instructions, the profile messaging, no limits.', configuration: {} },
  research: {
    label: 'Research',
    about: 'Reads the web and sums up what it found, with sources. Changes nothing.',
    configuration: {
      model: 'balanced',
      profile: 'messaging',
      instructions:
        'You research questions. Prefer primary sources, give the link for every claim, and say what you could not find. Answer in the thread you were asked in, briefly and in plain words.',
      budgets: { perRunUsd: 1, perDayUsd: 10, maxSteps: 30 },
    },
  },
  engineering: {
    label: 'Engineering',
    about: 'Works in files, runs commands in the sandbox. Whatever changes something asks first.',
    configuration: {
      model: 'deep',
      profile: 'coding',
      autonomy: 'supervised',
      instructions:
        'You help engineers. Read the code around a change before you change it, keep the style you find, run the tests, and say what you did in a few plain sentences. When you are not sure what is wanted, ask.',
      approvers: { requester: true, roles: ['approver'] },
      budgets: { perRunUsd: 5, perDayUsd: 50, maxSteps: 60 },
    },
  },
  support: {
    label: 'Support',
    about: 'Finds what is known, drafts replies. What leaves the house is read by a second person.',
    configuration: {
      model: 'balanced',
      profile: 'messaging',
      instructions:
        'You help the support team. Find what the customer wrote before and what is known about the cause. Draft replies in a warm and plain tone, without promises about dates.',
      approvers: { roles: ['approver'], notRequester: true },
      budgets: { perRunUsd: 1, perDayUsd: 20, maxSteps: 30 },
    },
  },
}
