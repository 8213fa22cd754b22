import { findOwnSpelling } from './nested-members.js';
import type { ToolMember } from './tool.js';

/**
 * Text about members of the API as text about parameters of a tool. A member is known by its place before it
 * (body.query) or by its spelling (targetType): other words may be words of the language.
 */
export const inParameterNames = (members: readonly ToolMember[], text: string): string =>
  text.replace(/\b(?:(body|query|path)\.)?([a-z]\w*)/g, (whole, place: string | undefined, word: string) => {
    if (place === undefined && !/[A-Z]/.test(word)) return whole;
    const known = members.find((one) => one.member === word && one.place === (place ?? one.place));
    if (known) return place === undefined ? known.name : `params.${known.name}`;
    if (place !== undefined) return whole;
    return members.map(({ nested }) => findOwnSpelling(word, nested)).find((name) => name !== undefined) ?? whole;
  });
