/** `<prefix>/console` is where the page stands; `<prefix>/` is the daemon's own, and so is everything below it. */
export const DAEMON_URL = new URL('.', location.href.replace(/[#?].*$/, '')).href.replace(/\/$/, '');

/** The tenant API, as the daemon passes it on (D73). */
export const API_URL = `${DAEMON_URL}/console/api`;
