// The contract of this package. Where a file has parts that only its neighbours here may use (half a transition, a piece
// of SQL), what the apps get is named one by one.
export { type AcceptResult, acceptInvitation, joinWithLogin } from './accept-invitation.ts'
export * from './admit.ts'
export {
  type AgentAttachment,
  type AgentConfiguration,
  agentConfigurationShape,
  blankConfiguration,
  budgetsShape,
  type ConfigurationProblem,
  checkConfiguration,
} from './agent-configuration.ts'
export {
  type AgentDraftResult,
  attachInDraft,
  detachInDraft,
  discardDraft,
  saveDraft,
  type ValidateConfig,
} from './agent-drafts.ts'
export type { AgentRefusal, SeenAgent } from './agent-state.ts'
export * from './agents.ts'
export * from './answer-by-reply.ts'
export * from './answer-drafts.ts'
export { type AnswerGiven, type AnswerRefusal, type AnswerResult, answerQuestion } from './answer-question.ts'
export * from './api-keys.ts'
export * from './approvers.ts'
export * from './attachments.ts'
export * from './attempts.ts'
export * from './audit.ts'
export * from './audit-log.ts'
export { type PlaceTaken, parsePlace, removeBinding, saveBinding } from './bindings.ts'
export * from './call-files.ts'
export * from './called-tools.ts'
export * from './change-file.ts'
export * from './change-message.ts'
export { type Admission, parseAllowList, readAdmission, saveAdmission, setDefaultAgent } from './channel-settings.ts'
export * from './chat-files.ts'
export { createChatSessions } from './chat-sessions.ts'
export type { CheckPolicy } from './check-whole-policy.ts'
export * from './child-runs.ts'
export * from './choose-agent.ts'
export type { Claim } from './claim.ts'
export * from './claim-runs.ts'
export * from './client.ts'
export * from './connection-lost.ts'
export { createConversationNotes } from './conversation-notes.ts'
export * from './default-prices.ts'
export * from './deliveries.ts'
export {
  describeApprovers,
  describeClosed,
  describeLease,
  describeReasons,
  describeTrail,
  describeValue,
  type TrailLine,
} from './describe-question.ts'
export { type AgentChange, diffConfigurations } from './diff-configurations.ts'
export type { CheckEdit, CheckedEdit, ProposedEdit } from './edit-call.ts'
export * from './environment.ts'
export * from './files.ts'
export { finishLastToolCall } from './finish-last-call.ts'
export * from './finish-run.ts'
export { type Fork, forkRun } from './fork-run.ts'
export type { ClosedQuestion } from './found-question.ts'
export * from './ids.ts'
export * from './inbox.ts'
export * from './installation-policy.ts'
export { deleteInstallation, findInstallation, type InstallationPlace, saveInstallation } from './installations.ts'
export {
  createInvitation,
  type FoundInvitation,
  findInvitation,
  type InvitationLink,
  type ListedInvitation,
  listInvitations,
  renewInvitation,
  revokeInvitation,
} from './invitations.ts'
export { grantLease, type LeaseGrant, revokeLease, useLease } from './leases.ts'
export * from './limits.ts'
export * from './link-codes.ts'
export * from './list-questions.ts'
export {
  type ListedRun,
  type ListedRuns,
  listRuns,
  type RunFilters,
  type RunKey,
  readRun,
  type WholeRun,
} from './list-runs.ts'
export { type ListToolCalls, listToolCalls, type ToolCallKey, type ToolCallPage } from './list-tool-calls.ts'
export * from './listen.ts'
export * from './live.ts'
export * from './master-key.ts'
export { changeRole, disableMember, enableMember, type ListedMember, listMembers, readMemberNames } from './members.ts'
export { createMemories } from './memories.ts'
export {
  addUsage,
  appendMessage,
  type RecordedStep,
  recordLastStep,
  recordStep,
  type Step,
  type TokenUse,
} from './messages.ts'
export * from './migrate.ts'
export * from './model-tiers.ts'
export * from './open-channel.ts'
export * from './open-secrets-for-call.ts'
export * from './password.ts'
export * from './place-status.ts'
export * from './places-of-agent.ts'
export * from './playground.ts'
export * from './policy.ts'
export {
  type DraftRule,
  emptySettings,
  type LiveContent,
  type PolicyContent,
  readPolicyContent,
  withContent,
} from './policy-content.ts'
export {
  type DraftChange,
  type DraftRefusal,
  type DraftResult,
  discardPolicyDraft,
  editPolicyDraft,
  type PolicyDraft,
  type RebaseResult,
  readPolicyDraft,
  rebasePolicyDraft,
} from './policy-draft.ts'
export { type GroupUse, usesOfGroup } from './policy-groups.ts'
export { changedParts, type MergedContent, mergeContent, type PartChange, type PartKind } from './policy-parts.ts'
export {
  type Approval,
  builtinProfileNames,
  type Condition,
  type GroupPart,
  type PolicySettingsPart,
  type ProfilePart,
  type RulePart,
  type SkillPart,
} from './policy-shape.ts'
export * from './prices.ts'
export * from './problem.ts'
export * from './processes.ts'
export { type PublishResult, publishDraft, rollBack } from './publish-agent.ts'
export * from './publish-policy.ts'
export * from './question-card.ts'
export { type CopyRecipient, copyQuestion, findCopyRecipients, type QuestionCopy, readCopy } from './question-copies.ts'
export { budgetAnswers, type LeaseOffer, moreTokens, type QuestionPrompt, type QuestionTab } from './question-prompt.ts'
export {
  askQuestion,
  expireQuestions,
  type NewQuestion,
  type QuestionKind,
  type QuestionStatus,
  type Verdict,
  withdrawQuestions,
} from './questions.ts'
export * from './read-agents.ts'
export * from './read-conversation.ts'
export { type FollowedToolCall, type ListedToolCall, readCallsOfRuns, withArguments } from './read-listed-calls.ts'
export * from './read-tool-call.ts'
export * from './recorded-calls.ts'
export * from './rename-login.ts'
export * from './replace-references.ts'
export * from './roles.ts'
export * from './rotate-master-key.ts'
export * from './run-context.ts'
export {
  appendRunEvent,
  type RunEvent,
  type RunEventKind,
  type RunEventNotice,
  readRunEvents,
  runEventChannel,
} from './run-events.ts'
export * from './run-feedback.ts'
export {
  type ClaimedRun,
  claimRun,
  findLostRuns,
  parkRun,
  queuedRunChannel,
  queueRun,
  type RunStatus,
  releaseRun,
  renewClaim,
  renewClaims,
  type Trigger,
  takeOver,
  wakeRun,
} from './runs.ts'
export * from './runs-of-member.ts'
export * from './save-policy.ts'
export { expireSecret, findSecret, type SecretInfo, type SecretUse, type SecretVersionInfo } from './secret-history.ts'
export * from './secret-scopes.ts'
export {
  checkSecretName,
  type ListedSecret,
  listSecrets,
  type OpenedSecret,
  readSecret,
  retireSecret,
  type StoreSecret,
  storeSecret,
} from './secrets.ts'
export * from './seed.ts'
export * from './server-calls.ts'
export {
  deleteOldSessions,
  endMemberSessions,
  endSession,
  findSession,
  type ListedSession,
  listSessions,
  type Membership,
  revokeSession,
  type Session,
} from './sessions.ts'
export * from './set-password.ts'
export * from './settings.ts'
export { parseEmail, type SignInInput, type SignInResult, signIn } from './sign-in.ts'
export * from './sign-in-with-provider.ts'
export * from './spending.ts'
export { startAnew } from './start-anew.ts'
export * from './step-calls.ts'
export * from './storable.ts'
export * from './switch-tool.ts'
export { readTaint, taintToolCall } from './taint.ts'
export * from './take-event.ts'
export { awaitDelivery, conversationPlace, sendTestMessage } from './test-message.ts'
export type { ToolCallFilter } from './tool-call-filter.ts'
export {
  beginToolCall,
  decideToolCall,
  finishToolCall,
  interruptToolCalls,
  refuseToolCall,
  requestToolCall,
  startToolCall,
  type ToolCallEnd,
  type ToolCallRequest,
  type ToolCallStatus,
} from './tool-calls.ts'
export { countToolUsage, readToolUsage, type ToolUse } from './tool-usage.ts'
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
export * from './transcript.ts'
export * from './unlink-identity.ts'
export { durationBuckets, findPercentile, readUsage, type UsageRow, usageSums } from './usage.ts'
