-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "autonomy" AS ENUM ('supervised', 'standard', 'autonomous');

-- CreateEnum
CREATE TYPE "tool_source" AS ENUM ('builtin', 'manifest', 'mcp');

-- CreateEnum
CREATE TYPE "effect" AS ENUM ('read', 'write', 'execute', 'send');

-- CreateEnum
CREATE TYPE "channel_kind" AS ENUM ('slack', 'telegram', 'web');

-- CreateEnum
CREATE TYPE "channel_status" AS ENUM ('connected', 'disconnected', 'failing');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('user', 'assistant', 'tool');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'sending', 'sent', 'failed');

-- CreateEnum
CREATE TYPE "decision" AS ENUM ('allow', 'ask', 'deny');

-- CreateEnum
CREATE TYPE "run_trigger" AS ENUM ('message', 'schedule', 'watch', 'parent', 'api');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped');

-- CreateEnum
CREATE TYPE "tool_call_status" AS ENUM ('requested', 'asking', 'approved', 'running', 'succeeded', 'failed', 'interrupted', 'refused', 'denied');

-- CreateEnum
CREATE TYPE "question_kind" AS ENUM ('confirmation', 'choice', 'multi_choice', 'text', 'form', 'plan', 'budget');

-- CreateEnum
CREATE TYPE "question_status" AS ENUM ('open', 'answered', 'expired', 'withdrawn');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'approver', 'member', 'viewer');

-- CreateEnum
CREATE TYPE "identity_kind" AS ENUM ('console', 'slack', 'telegram');

-- CreateEnum
CREATE TYPE "process_kind" AS ENUM ('bot', 'console');

-- CreateTable
CREATE TABLE "agents" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_versions" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "published_at" TIMESTAMPTZ(3),
    "published_by" TEXT,
    "model" TEXT NOT NULL DEFAULT 'balanced',
    "provider" TEXT NOT NULL DEFAULT 'anthropic',
    "instructions" TEXT NOT NULL DEFAULT '',
    "profile" TEXT NOT NULL DEFAULT 'messaging',
    "autonomy" "autonomy" NOT NULL DEFAULT 'standard',
    "tools_allow" TEXT[],
    "tools_deny" TEXT[],
    "approvers" JSONB NOT NULL DEFAULT '{}',
    "budgets" JSONB NOT NULL DEFAULT '{}',
    "attachments" JSONB NOT NULL DEFAULT '[]',
    "note" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tools" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "parameters_schema" TEXT NOT NULL,
    "handler_key" TEXT NOT NULL,
    "category" TEXT NOT NULL DEFAULT 'general',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tools_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_tools" (
    "agent_id" TEXT NOT NULL,
    "tool_id" TEXT NOT NULL,
    "config" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_tools_pkey" PRIMARY KEY ("agent_id","tool_id")
);

-- CreateTable
CREATE TABLE "tool_details" (
    "tool_id" TEXT NOT NULL,
    "workspace_id" TEXT,
    "source" "tool_source" NOT NULL,
    "effect" "effect" NOT NULL,
    "version" TEXT NOT NULL,
    "gone_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_details_pkey" PRIMARY KEY ("tool_id")
);

-- CreateTable
CREATE TABLE "channels" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "kind" "channel_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "status" "channel_status" NOT NULL DEFAULT 'disconnected',
    "status_detail" TEXT NOT NULL DEFAULT '',
    "settings" JSONB NOT NULL DEFAULT '{}',
    "default_agent_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bindings" (
    "workspace_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bindings_pkey" PRIMARY KEY ("channel_id","place")
);

-- CreateTable
CREATE TABLE "conversations" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "external_key" TEXT NOT NULL,
    "title" TEXT NOT NULL DEFAULT '',
    "next_message" INTEGER NOT NULL DEFAULT 1,
    "next_delivery" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_activity_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "conversation_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT,
    "role" "message_role" NOT NULL,
    "content" JSONB NOT NULL,
    "member_id" TEXT,
    "external_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("conversation_id","number")
);

-- CreateTable
CREATE TABLE "inbound_events" (
    "channel_id" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "conversation_id" TEXT,
    "message_number" INTEGER,
    "run_id" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("channel_id","external_id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "channel_id" TEXT NOT NULL,
    "run_id" TEXT,
    "question_id" TEXT,
    "kind" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claimed_by" TEXT,
    "claim_until" TIMESTAMPTZ(3),
    "external_id" TEXT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profiles" (
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "tools" TEXT[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "profiles_pkey" PRIMARY KEY ("workspace_id","name")
);

-- CreateTable
CREATE TABLE "policy_settings" (
    "workspace_id" TEXT NOT NULL,
    "profile" TEXT NOT NULL DEFAULT 'messaging',
    "allow" TEXT[],
    "deny" TEXT[],
    "providers" JSONB NOT NULL DEFAULT '{}',
    "hooks" JSONB NOT NULL DEFAULT '[]',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_settings_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "rules" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "pattern" TEXT NOT NULL,
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "decision" "decision" NOT NULL,
    "approvers" JSONB NOT NULL DEFAULT '{}',
    "must_match" JSONB NOT NULL DEFAULT '[]',
    "must_not_match" JSONB NOT NULL DEFAULT '[]',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "note" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "rules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "skills" (
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "instructions" TEXT NOT NULL DEFAULT '',
    "tools" TEXT[],
    "tool_groups" TEXT[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "skills_pkey" PRIMARY KEY ("workspace_id","name")
);

-- CreateTable
CREATE TABLE "secret_scopes" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secret_scopes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "secrets" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "secret_versions" (
    "secret_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "wrapped_key" BYTEA NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "secret_versions_pkey" PRIMARY KEY ("secret_id","version")
);

-- CreateTable
CREATE TABLE "grants" (
    "workspace_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "scope_id" TEXT NOT NULL,
    "granted_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "grants_pkey" PRIMARY KEY ("agent_id","scope_id")
);

-- CreateTable
CREATE TABLE "audit_heads" (
    "workspace_id" TEXT NOT NULL,
    "number" BIGINT NOT NULL DEFAULT 0,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_heads_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "workspace_id" TEXT NOT NULL,
    "number" BIGINT NOT NULL DEFAULT 0,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',
    "previous_hash" BYTEA NOT NULL DEFAULT '\x',
    "hash" BYTEA NOT NULL DEFAULT '\x',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("workspace_id","number")
);

-- CreateTable
CREATE TABLE "virtual_files" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "conversation_id" TEXT,
    "agent_id" TEXT,
    "path" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "size" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "virtual_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_hours" (
    "workspace_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "agent_id" TEXT NOT NULL,
    "slot" SMALLINT NOT NULL,
    "runs" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "stopped" INTEGER NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "durations" INTEGER[],

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("workspace_id","hour","agent_id","slot")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "agent_version_id" TEXT,
    "parent_run_id" TEXT,
    "requested_by" TEXT,
    "trigger" "run_trigger" NOT NULL,
    "title" TEXT NOT NULL DEFAULT '',
    "status" "run_status" NOT NULL DEFAULT 'queued',
    "claimed_by" TEXT,
    "claim_until" TIMESTAMPTZ(3),
    "claim_number" INTEGER NOT NULL DEFAULT 0,
    "steps" INTEGER NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "tainted_at" TIMESTAMPTZ(3),
    "stop_requested_at" TIMESTAMPTZ(3),
    "error_code" TEXT,
    "error_message" TEXT,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_events" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tool_calls" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL,
    "tool_use_id" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_version" TEXT NOT NULL,
    "effect" "effect" NOT NULL,
    "idempotent" BOOLEAN NOT NULL DEFAULT false,
    "arguments" JSONB NOT NULL,
    "arguments_digest" TEXT NOT NULL,
    "status" "tool_call_status" NOT NULL DEFAULT 'requested',
    "decision" "decision",
    "trail" JSONB NOT NULL DEFAULT '[]',
    "claimed_by" TEXT,
    "output" TEXT,
    "error" TEXT,
    "output_bytes" INTEGER,
    "findings" JSONB NOT NULL DEFAULT '[]',
    "duration_ms" INTEGER,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tool_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "questions" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "tool_call_id" TEXT,
    "kind" "question_kind" NOT NULL,
    "prompt" JSONB NOT NULL,
    "reasons" JSONB NOT NULL DEFAULT '[]',
    "arguments_digest" TEXT,
    "approvers" JSONB NOT NULL DEFAULT '{}',
    "required_answers" INTEGER NOT NULL DEFAULT 1,
    "status" "question_status" NOT NULL DEFAULT 'open',
    "verdict" TEXT,
    "on_expiry" TEXT NOT NULL DEFAULT 'deny',
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "questions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "answers" (
    "question_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "value" JSONB,
    "reason" TEXT,
    "surface" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "answers_pkey" PRIMARY KEY ("question_id","member_id")
);

-- CreateTable
CREATE TABLE "leases" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "tool_version" TEXT NOT NULL,
    "question_id" TEXT,
    "granted_by" TEXT NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "max_uses" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "leases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "logins" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "email_verified" TIMESTAMPTZ(3),
    "password_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "logins_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "login_accounts" (
    "provider" TEXT NOT NULL,
    "provider_account_id" TEXT NOT NULL,
    "login_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "login_accounts_pkey" PRIMARY KEY ("provider","provider_account_id")
);

-- CreateTable
CREATE TABLE "login_sessions" (
    "id" TEXT NOT NULL,
    "login_id" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "login_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verification_tokens" (
    "identifier" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verification_tokens_pkey" PRIMARY KEY ("identifier","token_hash")
);

-- CreateTable
CREATE TABLE "attempts" (
    "key_hash" BYTEA NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("key_hash","window_start")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspaces" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "role" "role" NOT NULL DEFAULT 'member',
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "members_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identities" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "kind" "identity_kind" NOT NULL,
    "external_id" TEXT NOT NULL,
    "login_id" TEXT,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "processes" (
    "id" TEXT NOT NULL,
    "kind" "process_kind" NOT NULL,
    "version" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "roles" TEXT[],
    "health" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "processes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "settings" (
    "workspace_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("workspace_id","key")
);

-- CreateTable
CREATE TABLE "instance_facts" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "instance_facts_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "agents_workspace_id_id_key" ON "agents"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "agents_workspace_id_slug_key" ON "agents"("workspace_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "agent_versions_workspace_id_agent_id_id_key" ON "agent_versions"("workspace_id", "agent_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "agent_versions_agent_id_number_key" ON "agent_versions"("agent_id", "number");

-- CreateIndex
CREATE INDEX "idx_tools_category" ON "tools"("category");

-- CreateIndex
CREATE INDEX "idx_tools_handler" ON "tools"("handler_key");

-- CreateIndex
CREATE INDEX "idx_agent_tools_agent" ON "agent_tools"("agent_id");

-- CreateIndex
CREATE INDEX "idx_agent_tools_tool" ON "agent_tools"("tool_id");

-- CreateIndex
CREATE INDEX "tool_details_workspace_id_idx" ON "tool_details"("workspace_id");

-- CreateIndex
CREATE UNIQUE INDEX "channels_workspace_id_id_key" ON "channels"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "channels_kind_external_id_workspace_id_key" ON "channels"("kind", "external_id", "workspace_id");

-- CreateIndex
CREATE INDEX "conversations_workspace_id_last_activity_at_id_idx" ON "conversations"("workspace_id", "last_activity_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "conversations_workspace_id_id_key" ON "conversations"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "conversations_channel_id_external_key_key" ON "conversations"("channel_id", "external_key");

-- CreateIndex
CREATE INDEX "inbound_events_received_at_idx" ON "inbound_events"("received_at");

-- CreateIndex
CREATE INDEX "deliveries_question_id_idx" ON "deliveries"("question_id");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_conversation_id_number_key" ON "deliveries"("conversation_id", "number");

-- CreateIndex
CREATE INDEX "rules_workspace_id_position_idx" ON "rules"("workspace_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "rules_workspace_id_name_key" ON "rules"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "secret_scopes_workspace_id_id_key" ON "secret_scopes"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "secret_scopes_workspace_id_name_key" ON "secret_scopes"("workspace_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_workspace_id_id_key" ON "secrets"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_workspace_id_name_key" ON "secrets"("workspace_id", "name");

-- CreateIndex
CREATE INDEX "secret_versions_key_id_idx" ON "secret_versions"("key_id");

-- CreateIndex
CREATE INDEX "audit_events_workspace_id_action_number_idx" ON "audit_events"("workspace_id", "action", "number" DESC);

-- CreateIndex
CREATE INDEX "audit_events_workspace_id_subject_kind_subject_id_number_idx" ON "audit_events"("workspace_id", "subject_kind", "subject_id", "number" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "virtual_files_conversation_id_path_key" ON "virtual_files"("conversation_id", "path");

-- CreateIndex
CREATE UNIQUE INDEX "virtual_files_agent_id_path_key" ON "virtual_files"("agent_id", "path");

-- CreateIndex
CREATE INDEX "runs_workspace_id_queued_at_id_idx" ON "runs"("workspace_id", "queued_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_workspace_id_status_queued_at_id_idx" ON "runs"("workspace_id", "status", "queued_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_workspace_id_agent_id_queued_at_id_idx" ON "runs"("workspace_id", "agent_id", "queued_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_conversation_id_queued_at_idx" ON "runs"("conversation_id", "queued_at" DESC);

-- CreateIndex
CREATE INDEX "runs_parent_run_id_idx" ON "runs"("parent_run_id");

-- CreateIndex
CREATE UNIQUE INDEX "runs_workspace_id_id_key" ON "runs"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "run_events_run_id_id_idx" ON "run_events"("run_id", "id");

-- CreateIndex
CREATE INDEX "run_events_workspace_id_id_idx" ON "run_events"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "tool_calls_workspace_id_requested_at_id_idx" ON "tool_calls"("workspace_id", "requested_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tool_calls_workspace_id_tool_name_requested_at_id_idx" ON "tool_calls"("workspace_id", "tool_name", "requested_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tool_calls_workspace_id_agent_id_requested_at_id_idx" ON "tool_calls"("workspace_id", "agent_id", "requested_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tool_calls_workspace_id_status_requested_at_id_idx" ON "tool_calls"("workspace_id", "status", "requested_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "tool_calls_run_id_tool_use_id_key" ON "tool_calls"("run_id", "tool_use_id");

-- CreateIndex
CREATE INDEX "questions_workspace_id_status_asked_at_id_idx" ON "questions"("workspace_id", "status", "asked_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "questions_run_id_idx" ON "questions"("run_id");

-- CreateIndex
CREATE INDEX "questions_tool_call_id_idx" ON "questions"("tool_call_id");

-- CreateIndex
CREATE UNIQUE INDEX "questions_workspace_id_id_key" ON "questions"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "leases_conversation_id_tool_name_idx" ON "leases"("conversation_id", "tool_name");

-- CreateIndex
CREATE UNIQUE INDEX "logins_email_key" ON "logins"("email");

-- CreateIndex
CREATE INDEX "login_accounts_login_id_idx" ON "login_accounts"("login_id");

-- CreateIndex
CREATE UNIQUE INDEX "login_sessions_token_hash_key" ON "login_sessions"("token_hash");

-- CreateIndex
CREATE INDEX "login_sessions_login_id_idx" ON "login_sessions"("login_id");

-- CreateIndex
CREATE INDEX "login_sessions_expires_at_idx" ON "login_sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "verification_tokens_token_hash_key" ON "verification_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "attempts_window_start_idx" ON "attempts"("window_start");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_created_at_idx" ON "api_keys"("workspace_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "workspaces_slug_key" ON "workspaces"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "members_workspace_id_id_key" ON "members"("workspace_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "members_workspace_id_email_key" ON "members"("workspace_id", "email");

-- CreateIndex
CREATE INDEX "identities_member_id_idx" ON "identities"("member_id");

-- CreateIndex
CREATE INDEX "identities_login_id_idx" ON "identities"("login_id");

-- CreateIndex
CREATE UNIQUE INDEX "identities_workspace_id_kind_external_id_key" ON "identities"("workspace_id", "kind", "external_id");

-- CreateIndex
CREATE INDEX "processes_seen_at_idx" ON "processes"("seen_at");

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_workspace_id_published_by_fkey" FOREIGN KEY ("workspace_id", "published_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_tools" ADD CONSTRAINT "agent_tools_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "tools"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_details" ADD CONSTRAINT "tool_details_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "tools"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_details" ADD CONSTRAINT "tool_details_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_workspace_id_default_agent_id_fkey" FOREIGN KEY ("workspace_id", "default_agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_workspace_id_channel_id_fkey" FOREIGN KEY ("workspace_id", "channel_id") REFERENCES "channels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_channel_id_fkey" FOREIGN KEY ("workspace_id", "channel_id") REFERENCES "channels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_events" ADD CONSTRAINT "inbound_events_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_events" ADD CONSTRAINT "inbound_events_workspace_id_channel_id_fkey" FOREIGN KEY ("workspace_id", "channel_id") REFERENCES "channels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_channel_id_fkey" FOREIGN KEY ("workspace_id", "channel_id") REFERENCES "channels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_workspace_id_question_id_fkey" FOREIGN KEY ("workspace_id", "question_id") REFERENCES "questions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_settings" ADD CONSTRAINT "policy_settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rules" ADD CONSTRAINT "rules_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "skills" ADD CONSTRAINT "skills_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secret_scopes" ADD CONSTRAINT "secret_scopes_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_workspace_id_scope_id_fkey" FOREIGN KEY ("workspace_id", "scope_id") REFERENCES "secret_scopes"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secret_versions" ADD CONSTRAINT "secret_versions_workspace_id_secret_id_fkey" FOREIGN KEY ("workspace_id", "secret_id") REFERENCES "secrets"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_workspace_id_scope_id_fkey" FOREIGN KEY ("workspace_id", "scope_id") REFERENCES "secret_scopes"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_workspace_id_granted_by_fkey" FOREIGN KEY ("workspace_id", "granted_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_hours" ADD CONSTRAINT "usage_hours_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_agent_id_agent_version_id_fkey" FOREIGN KEY ("workspace_id", "agent_id", "agent_version_id") REFERENCES "agent_versions"("workspace_id", "agent_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_requested_by_fkey" FOREIGN KEY ("workspace_id", "requested_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_id_parent_run_id_fkey" FOREIGN KEY ("workspace_id", "parent_run_id") REFERENCES "runs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_events" ADD CONSTRAINT "run_events_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_events" ADD CONSTRAINT "run_events_workspace_id_run_id_fkey" FOREIGN KEY ("workspace_id", "run_id") REFERENCES "runs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_workspace_id_run_id_fkey" FOREIGN KEY ("workspace_id", "run_id") REFERENCES "runs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_workspace_id_run_id_fkey" FOREIGN KEY ("workspace_id", "run_id") REFERENCES "runs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_tool_call_id_fkey" FOREIGN KEY ("tool_call_id") REFERENCES "tool_calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answers" ADD CONSTRAINT "answers_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answers" ADD CONSTRAINT "answers_workspace_id_question_id_fkey" FOREIGN KEY ("workspace_id", "question_id") REFERENCES "questions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answers" ADD CONSTRAINT "answers_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_workspace_id_question_id_fkey" FOREIGN KEY ("workspace_id", "question_id") REFERENCES "questions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "leases" ADD CONSTRAINT "leases_workspace_id_granted_by_fkey" FOREIGN KEY ("workspace_id", "granted_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "login_accounts" ADD CONSTRAINT "login_accounts_login_id_fkey" FOREIGN KEY ("login_id") REFERENCES "logins"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_login_id_fkey" FOREIGN KEY ("login_id") REFERENCES "logins"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_login_id_fkey" FOREIGN KEY ("login_id") REFERENCES "logins"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "settings" ADD CONSTRAINT "settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
