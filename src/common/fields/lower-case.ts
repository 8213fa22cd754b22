/**
 * A to Z in lower case: the one form in which e-mail addresses, ids and digests are kept and compared. ASCII alone:
 * other letters have lower cases that are letters of somebody else's name (U+212A, the sign for kelvin, becomes a k).
 */
export const inLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
