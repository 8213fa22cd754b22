import { XMLParser } from 'fast-xml-parser';

/** An element: its name without prefix, its attributes, what is in it in document order. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
}

const ATTRIBUTES = ':@';
const TEXT = '#text';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // With it references to characters (XML 1.0, 4.1) are decoded as well, not the five named ones alone.
  htmlEntities: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

type Raw = Readonly<Record<string, unknown>>;

/** Reads XML as one element that holds what the document holds. Entities of its own are refused before. */
export const parseXml = (source: string): XmlElement => ({
  name: '',
  attributes: {},
  children: childrenOf(parser.parse(source)),
});

const childrenOf = (raw: unknown): (XmlElement | string)[] => (Array.isArray(raw) ? raw.map(nodeOf) : []);

function nodeOf(raw: Raw): XmlElement | string {
  if (TEXT in raw) return String(raw[TEXT]);
  const name = Object.keys(raw).find((key) => key !== ATTRIBUTES) ?? '';
  return {
    name: name.slice(name.indexOf(':') + 1),
    attributes: (raw[ATTRIBUTES] ?? {}) as Record<string, string>,
    children: childrenOf(raw[name]),
  };
}

/** The elements of a name at any depth, in document order; what is within one of them is not looked at. */
export function elementsIn({ children }: XmlElement, ...names: string[]): XmlElement[] {
  return children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return names.includes(child.name) ? [child] : elementsIn(child, ...names);
  });
}

/** All text in an element. */
export const textIn = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
