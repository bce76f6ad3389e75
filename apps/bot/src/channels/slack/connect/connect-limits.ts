/** Every limit of the connection to Slack, with its unit and what happens at it. */
export const connectLimits = {
  /** How long one call of the API may take; then it has failed. */
  callMs: 15_000,
  /** How long a new socket may take until Slack says hello; then it is given up for another. */
  helloMs: 15_000,
  /** How long a socket may be without any ping, hello or event of Slack's; then it is deaf, and another is opened. */
  deafMs: 45_000,
  /** How often it is looked whether the socket is deaf. With `deafMs`: noticed within a minute. */
  watchEveryMs: 5_000,
  /** How long Slack may take to answer a ping of ours; then the library closes the socket. */
  pongMs: 15_000,
  /** How long a socket must have worked to be replaced at once; one that ended sooner counts as a failed attempt. */
  steadyMs: 10_000,
  /** The waits between attempts to open a socket: the first, and the longest after doubling. */
  reopenMs: 500,
  reopenMaxMs: 30_000,
  /** The wait where Slack refuses the app token: nothing but a person can change that. */
  refusedMs: 60_000,
  /** How long `start` waits for the first socket; then the bot goes on, and the socket comes when it comes. */
  startMs: 5_000,
  /** How long what is in hand gets when the bot stops; then the socket is closed, and Slack sends it again. */
  drainMs: 1_000,
  /** How long an event may be worked on before Slack is told nothing; Slack sends it again after 3 s. */
  ackMs: 2_900,
  /** How long we believe who somebody is, and how many people are remembered. */
  personMs: 10 * 60 * 1000,
  people: 5_000,
  /** How long we believe which token a team has, and how many teams are remembered. */
  teamMs: 60_000,
  teams: 1_000,
  /** How long a request over HTTP is remembered, so that it cannot be played again, and how many. */
  replayMs: 6 * 60 * 1000,
  replays: 20_000,
  /** How many bytes a request over HTTP may have; a longer one is refused unread. */
  requestBytes: 1024 * 1024,
  /** How long a link for installing the app works. */
  installLinkMs: 60 * 60 * 1000,
} as const
