/** A pack was imported, and something of it was new. */
export const MEMORY_IMPORTED = 'memory.imported';

/** A pack was made. */
export const MEMORY_EXPORTED = 'memory.exported';
