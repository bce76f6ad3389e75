/** Below TELEGRAM_WEBHOOK_URL, and on the gateway. */
export const webhookPath = '/telegram/webhook'
