/** What a passport may be called. */
export const PASSPORT = /^[A-Za-z0-9._:-]{1,128}$/;
