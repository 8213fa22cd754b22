/** The form of contexts, for others that pass them on. */
export { AssembledContext } from './context.dto.js';
export { CONTEXT_KINDS } from './context.types.js';
