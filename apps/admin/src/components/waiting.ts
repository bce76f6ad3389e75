/** What was asked for and is not there yet. A page that comes at once shows nothing of it. */
export const waiting = 'motion-safe:animate-pulse [animation-delay:300ms]'
