import type { Core } from './core.ts'
import type { Json, SlackFile } from './model.ts'

/** A file as Slack describes it. Its content is behind a URL that wants the bot's token. */
export function fileObject(core: Core, file: SlackFile): Json {
  const extension = file.name.split('.').at(-1) ?? 'binary'
  const url = `${core.baseUrl}/files-pri/${file.teamId}-${file.id}`
  const name = encodeURIComponent(file.name)
  const shares: Record<string, Record<string, Json[]>> = { public: {}, private: {} }
  for (const { channel, ts, thread_ts } of file.shares) {
    const kind = core.world.channels.get(channel)?.kind === 'channel' ? 'public' : 'private'
    const places = shares[kind] as Record<string, Json[]>
    places[channel] = [...(places[channel] ?? []), { ts, ...(thread_ts ? { thread_ts } : {}) }]
  }
  return {
    id: file.id,
    created: Math.floor(file.createdAt / 1000),
    timestamp: Math.floor(file.createdAt / 1000),
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: extension,
    pretty_type: extension.toUpperCase(),
    user: file.user,
    user_team: core.world.users.get(file.user)?.teamId ?? file.teamId,
    editable: false,
    size: file.content.length,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: Object.keys(shares.public ?? {}).length > 0,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${url}/${name}`,
    url_private_download: `${url}/download/${name}`,
    permalink: `https://files.invalid/${file.user}/${file.id}/${name}`,
    file_access: 'visible',
    has_rich_preview: false,
    shares,
    channels: Object.keys(shares.public ?? {}),
    groups: [],
    ims: [],
    ...(file.voice
      ? {
          subtype: 'slack_audio',
          media_display_type: 'audio',
          transcription: {
            status: 'complete',
            locale: 'en-GB',
            preview: { content: file.voice.transcript, has_more: false },
          },
        }
      : {}),
  }
}
