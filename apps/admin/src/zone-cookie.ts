/** Written by the page itself: it is no secret, and nothing is decided by it. */
export const zoneCookie = 'qm.zone'
