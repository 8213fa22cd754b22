import { Tokenizer, TokenizerMode, type DefaultTreeAdapterTypes, type Token, type TokenHandler } from 'parse5';
import type { ExtractedText } from './chunking.types.js';
import { HtmlReader } from './html-reader.js';
import { parseTree } from './html-tree.js';

/** Elements whose content holds no tags. */
const RAW_TEXT = new Set(['script', 'style', 'noscript', 'iframe', 'textarea', 'title', 'xmp']);

/**
 * Reads HTML as a browser shows it without style sheets: scripts, styles and hidden elements are left out, character
 * references decoded, headings, paragraphs, lists, tables and preformatted text kept apart. A document that is too
 * large for a tree is read tag by tag instead: its text and blocks are kept, elements hidden by an attribute are not
 * recognised.
 */
export function extractHtml(source: string): ExtractedText {
  const reader = new HtmlReader(source);
  const document = parseTree(source);
  if (document === undefined) readTags(source, reader);
  else readTree(document, reader);
  return reader.finish();
}

/** Walks the tree without recursion; `null` marks the place where the element below it on the stack ends. */
function readTree(document: DefaultTreeAdapterTypes.Document, reader: HtmlReader): void {
  const stack: (DefaultTreeAdapterTypes.Node | { closes: string })[] = [...document.childNodes].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ('closes' in node) reader.close(node.closes);
    else if ('value' in node && node.nodeName === '#text') readText(node, reader);
    else if ('tagName' in node && reader.open(node.tagName, node.attrs)) {
      stack.push({ closes: node.tagName });
      for (let index = node.childNodes.length - 1; index >= 0; index -= 1) stack.push(node.childNodes[index]!);
    }
  }
}

function readText(node: DefaultTreeAdapterTypes.TextNode, reader: HtmlReader): void {
  const place = node.sourceCodeLocation;
  if (place) reader.text(node.value, place.startOffset, place.endOffset);
}

/** Reads the tags in a row, without a tree. Linear in the document's length whatever it holds. */
function readTags(source: string, reader: HtmlReader): void {
  const hidden: string[] = [];
  const characters = (token: Token.CharacterToken): void => {
    if (hidden.length === 0 && token.location)
      reader.text(token.chars, token.location.startOffset, token.location.endOffset);
  };
  const nothing = (): void => undefined;
  const handler: TokenHandler = {
    onComment: nothing,
    onDoctype: nothing,
    onEof: nothing,
    onNullCharacter: nothing,
    onCharacter: characters,
    onWhitespaceCharacter: characters,
    onStartTag: (tag) => {
      if (RAW_TEXT.has(tag.tagName)) tokenizer.state = TokenizerMode.RAWTEXT;
      if (hidden.length > 0 && hidden[0] !== tag.tagName) return;
      // A head may end without an end tag, so leaving it out could leave out everything.
      if (tag.tagName !== 'head' && (hidden.length > 0 || !reader.open(tag.tagName, []))) hidden.push(tag.tagName);
    },
    onEndTag: (tag) => {
      if (hidden.length === 0) reader.close(tag.tagName);
      else if (hidden[0] === tag.tagName) hidden.pop();
    },
  };
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, handler);
  tokenizer.write(source, true);
}
