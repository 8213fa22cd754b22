// Ids of servers, publishers and principals, and tool digests, are kept and compared in lower case (inLowerCase), so
// that no other spelling passes what stops or pins one.

/** The id of a server: what a header can carry unchanged, 1 to 120 printable characters of ASCII. */
export const SERVER_ID = /^[!-~]([ -~]{0,118}[!-~])?$/;
/** As it may be written; it is kept in lower case. */
export const TOOL_DIGEST = /^[sS][hH][aA]256:[0-9a-fA-F]{64}$/;
