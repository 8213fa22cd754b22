/** A failure whose message says all there is to know, with the remedy: printed without a stack. */
export class UserError extends Error {}
