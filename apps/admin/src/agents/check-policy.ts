import type { CheckPolicy } from '@quartermaster/db'
import { toolKit } from '../tool-kit.ts'

/** What is wrong with a policy as it would be, for whoever publishes an agent: its parts are named as people see them. */
export const checkPolicy: CheckPolicy = ({ config }) =>
  toolKit
    .checkPolicyConfig(config)
    .map(({ path, message }) => [path.replace(/^agents\.[^.]+\.?/, ''), message].filter(Boolean).join(': '))
