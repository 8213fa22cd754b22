/**
 * The one form of an id of a server, publisher or principal, and of a tool digest: with A to Z in lower case, so that
 * no other spelling passes what stops or pins one. Whatever is kept or compared went through here.
 */
export const inLowerCase = (id: string): string => id.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The id of a server: what a header can carry unchanged, 1 to 120 printable characters of ASCII. */
export const SERVER_ID = /^[!-~]([ -~]{0,118}[!-~])?$/;
/** As it may be written; it is kept in lower case. */
export const TOOL_DIGEST = /^[sS][hH][aA]256:[0-9a-fA-F]{64}$/;
