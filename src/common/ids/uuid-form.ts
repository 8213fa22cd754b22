/** A UUID in lower case, of any version: part of a pattern, of JavaScript or of PostgreSQL. */
export const UUID_FORM = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const READ = new RegExp(`^${UUID_FORM}$`, 'i');
const WRITTEN = new RegExp(`^${UUID_FORM}$`);

/** Whether PostgreSQL takes the text as an id of a row, which those who send it may write in either case. */
export const isUuid = (text: string): boolean => READ.test(text);

/** As {@link isUuid}, and as this server writes it: what is compared as text, or signed. */
export const isWrittenUuid = (text: string): boolean => WRITTEN.test(text);
