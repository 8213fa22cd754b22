/** Kinds of principals, as actors are written, and the two that have no kind. */
const ACTOR = /^((passport|sub|key|seat|agent|svc|drill|public):.+|anonymous|operator)$/;

/** The actor that is meant by a passport's id, or by itself in full. */
export const actorNamed = (principal: string): string => (ACTOR.test(principal) ? principal : `passport:${principal}`);
