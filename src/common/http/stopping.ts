/** The AbortSignal that says that this process is about to stop: aborted before its ports close. */
export const STOPPING = Symbol('stopping');

/** What /readyz says from then on. */
export const SHUTTING_DOWN = 'shutting down';
