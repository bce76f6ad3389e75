export * from './answer-question.ts'
export * from './api-keys.ts'
export * from './approvers.ts'
export * from './attachments.ts'
export * from './attempts.ts'
export * from './audit.ts'
export * from './claim.ts'
export * from './client.ts'
export * from './deliveries.ts'
export * from './environment.ts'
export * from './finish-run.ts'
export * from './ids.ts'
export * from './inbox.ts'
export * from './installation-policy.ts'
export * from './leases.ts'
export * from './limits.ts'
export * from './listen.ts'
export * from './master-key.ts'
export * from './members.ts'
export * from './messages.ts'
export * from './migrate.ts'
export * from './open-secrets-for-call.ts'
export * from './password.ts'
export * from './policy.ts'
export {
  type Approval,
  builtinProfileNames,
  type Condition,
  type PolicySettingsPart,
  type ProfilePart,
  type RulePart,
  type SkillPart,
} from './policy-shape.ts'
export * from './problem.ts'
export * from './processes.ts'
export * from './questions.ts'
export * from './rename-login.ts'
export * from './roles.ts'
export * from './rotate-master-key.ts'
export * from './run-events.ts'
export * from './runs.ts'
export * from './save-policy.ts'
export * from './secrets.ts'
export * from './seed.ts'
export * from './sessions.ts'
export * from './set-password.ts'
export * from './settings.ts'
export * from './sign-in.ts'
export * from './sign-in-with-provider.ts'
export * from './storable.ts'
export * from './taint.ts'
export * from './tool-calls.ts'
export {
  findTool,
  listTools,
  type RegisteredTool,
  type SyncedTools,
  syncTools,
  type ToolDefinition,
  type ToolSource,
  type Unavailability,
} from './tools.ts'
export * from './usage.ts'
