-- DropIndex
DROP INDEX "api_keys_workspace_id_created_at_idx";

-- AlterTable
ALTER TABLE "secrets" ADD COLUMN     "last_used_by" TEXT,
ADD COLUMN     "last_used_for" TEXT,
ADD COLUMN     "last_used_in" TEXT;

-- DropTable
DROP TABLE "verification_tokens";

-- CreateTable
CREATE TABLE "invitations" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "accepted_by" TEXT,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_workspace_id_created_at_id_idx" ON "invitations"("workspace_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "invitations_email_idx" ON "invitations"("email");

-- CreateIndex
CREATE INDEX "secrets_scope_id_idx" ON "secrets"("scope_id");

-- CreateIndex
CREATE INDEX "grants_scope_id_idx" ON "grants"("scope_id");

-- CreateIndex
CREATE INDEX "audit_events_workspace_id_actor_kind_actor_id_action_number_idx" ON "audit_events"("workspace_id", "actor_kind", "actor_id", "action", "number" DESC);

-- CreateIndex
CREATE INDEX "audit_events_workspace_id_at_number_idx" ON "audit_events"("workspace_id", "at", "number");

-- CreateIndex
CREATE INDEX "leases_workspace_id_granted_by_created_at_id_idx" ON "leases"("workspace_id", "granted_by", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_created_at_id_idx" ON "api_keys"("workspace_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_member_id_created_at_id_idx" ON "api_keys"("workspace_id", "member_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "members_workspace_id_name_id_idx" ON "members"("workspace_id", "name", "id");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_invited_by_fkey" FOREIGN KEY ("workspace_id", "invited_by") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_accepted_by_fkey" FOREIGN KEY ("workspace_id", "accepted_by") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: what Prisma cannot say ----------------------------------------------------------------------------------

ALTER TABLE "invitations" ADD CONSTRAINT "invitations_email_lower" CHECK ("email" = lower("email") AND "email" <> '');
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_ends_once"
  CHECK (("accepted_at" IS NULL OR "revoked_at" IS NULL) AND ("accepted_at" IS NULL) = ("accepted_by" IS NULL));
CREATE UNIQUE INDEX "invitations_one_open" ON "invitations" ("workspace_id", "email")
  WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- Until now a login was made by the installation itself or by a provider, so its e-mail is its own.
UPDATE "logins" SET "email_verified" = "created_at" WHERE "email_verified" IS NULL;
