/** In characters; the two patterns say it too. */
export const MAX_TENANT_NAME = 120;
/** A tenant's name is sent in a header and stands in addresses. */
export const TENANT_NAME = /^[\w.:@-]{1,120}$/;
export const TENANT_NAME_FORM = '1 to 120 letters, digits, or . : @ _ -';

/** What a tenant may be called that somebody asked for: it begins with a letter or a digit. */
export const ASKED_TENANT_NAME = /^[A-Za-z0-9][\w.:@-]{0,119}$/;
