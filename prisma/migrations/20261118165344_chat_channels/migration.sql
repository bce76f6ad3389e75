-- AlterTable
ALTER TABLE "identities" ADD COLUMN     "auto" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "installations" (
    "kind" "channel_kind" NOT NULL,
    "external_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "wrapped_key" BYTEA NOT NULL,
    "ciphertext" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "installations_pkey" PRIMARY KEY ("kind","external_id")
);

-- CreateTable
CREATE TABLE "strangers" (
    "channel_id" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "strangers_pkey" PRIMARY KEY ("channel_id","external_id")
);

-- CreateTable
CREATE TABLE "answer_drafts" (
    "question_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "answer_drafts_pkey" PRIMARY KEY ("question_id","member_id")
);

-- CreateTable
CREATE TABLE "run_feedback" (
    "run_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "good" BOOLEAN NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_feedback_pkey" PRIMARY KEY ("run_id","member_id")
);

-- CreateTable
CREATE TABLE "link_codes" (
    "code_hash" BYTEA NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "link_codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateIndex
CREATE UNIQUE INDEX "link_codes_member_id_key" ON "link_codes"("member_id");

-- CreateIndex
CREATE INDEX "link_codes_expires_at_idx" ON "link_codes"("expires_at");

-- AddForeignKey
ALTER TABLE "installations" ADD CONSTRAINT "installations_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "strangers" ADD CONSTRAINT "strangers_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "strangers" ADD CONSTRAINT "strangers_workspace_id_channel_id_fkey" FOREIGN KEY ("workspace_id", "channel_id") REFERENCES "channels"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answer_drafts" ADD CONSTRAINT "answer_drafts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answer_drafts" ADD CONSTRAINT "answer_drafts_workspace_id_question_id_fkey" FOREIGN KEY ("workspace_id", "question_id") REFERENCES "questions"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answer_drafts" ADD CONSTRAINT "answer_drafts_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_feedback" ADD CONSTRAINT "run_feedback_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_feedback" ADD CONSTRAINT "run_feedback_workspace_id_run_id_fkey" FOREIGN KEY ("workspace_id", "run_id") REFERENCES "runs"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_feedback" ADD CONSTRAINT "run_feedback_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_codes" ADD CONSTRAINT "link_codes_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_codes" ADD CONSTRAINT "link_codes_workspace_id_member_id_fkey" FOREIGN KEY ("workspace_id", "member_id") REFERENCES "members"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A code is kept for an hour at most, whatever wrote it.
ALTER TABLE "link_codes" ADD CONSTRAINT "link_codes_short" CHECK ("expires_at" <= "created_at" + interval '1 hour');

-- Every copy of a question's card on a chat platform is shown anew, in the transaction of what changed it. The console
-- reads the row itself. The caller holds the rows of the conversations (packages/db/src/questions.ts, lockRunOf): here
-- they are only counted up.
CREATE FUNCTION "update_question_copies"(question text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  copy record;
  number integer;
BEGIN
  FOR copy IN
    SELECT d."id", d."workspace_id", d."conversation_id", d."channel_id" FROM "deliveries" d
    JOIN "channels" ch ON ch."id" = d."channel_id" AND ch."kind" <> 'web'
    WHERE d."question_id" = question AND d."kind" = 'question' AND d."status" <> 'failed'
    ORDER BY d."conversation_id", d."id"
  LOOP
    UPDATE "conversations" SET "next_delivery" = "next_delivery" + 1 WHERE "id" = copy."conversation_id"
      RETURNING "next_delivery" - 1 INTO number;
    INSERT INTO "deliveries" ("id", "workspace_id", "conversation_id", "channel_id", "number", "kind", "payload", "question_id")
    VALUES ('dlv_' || replace(gen_random_uuid()::text, '-', ''), copy."workspace_id", copy."conversation_id",
      copy."channel_id", number, 'card-update',
      jsonb_build_object('kind', 'card-update', 'questionId', question, 'copyId', copy."id"), question);
    PERFORM pg_notify('qm_deliveries', json_build_object(
      'conversationId', copy."conversation_id", 'channelId', copy."channel_id")::text);
  END LOOP;
END $$;

CREATE FUNCTION "questions_update_copies"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."status" <> 'open' THEN
    DELETE FROM "answer_drafts" WHERE "question_id" = NEW."id";
  END IF;
  PERFORM "update_question_copies"(NEW."id");
  RETURN NULL;
END $$;
CREATE TRIGGER "questions_update_copies" AFTER UPDATE ON "questions"
  FOR EACH ROW WHEN (OLD."status" = 'open' AND (NEW."status" <> 'open'
    OR NEW."escalated_at" IS DISTINCT FROM OLD."escalated_at"))
  EXECUTE FUNCTION "questions_update_copies"();
