/** A tenant's name is sent in a header and stands in addresses. */
export const TENANT_NAME = /^[\w.:@-]{1,120}$/;
export const TENANT_NAME_FORM = '1 to 120 letters, digits, or . : @ _ -';
