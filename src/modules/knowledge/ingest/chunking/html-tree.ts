import { defaultTreeAdapter, html, parse, type DefaultTreeAdapterTypes } from 'parse5';

/**
 * Open elements at a time. The tree builder looks through all of them at many tags, so its time is bounded by this
 * times the document's length; pages that people write stay below 60.
 */
const DEEPEST_TREE = 256;
/**
 * Elements of a tree: mis-nested formatting makes several of every tag. Pages of 4 MiB that people write have half as
 * many at most.
 */
const MAX_TREE = 200_000;

/** How much of a document its title is looked for in. */
const TITLE_UNITS = 256 * 1024;

class TreeTooLarge extends Error {}

/** The tree of a document; undefined where it is nested deeper than DEEPEST_TREE, or of more elements than MAX_TREE. */
export function parseTree(source: string): DefaultTreeAdapterTypes.Document | undefined {
  let depth = 0;
  let elements = 0;
  const treeAdapter = {
    ...defaultTreeAdapter,
    onItemPush: () => {
      depth += 1;
      elements += 1;
      if (depth > DEEPEST_TREE || elements > MAX_TREE) throw new TreeTooLarge();
    },
    onItemPop: () => {
      depth -= 1;
    },
  };
  try {
    return parse(source, { sourceCodeLocationInfo: true, treeAdapter });
  } catch (error) {
    if (error instanceof TreeTooLarge) return undefined;
    throw error;
  }
}

/** The title of a document, as a browser shows it; undefined where it has none. */
export function titleOfHtml(source: string): string | undefined {
  if (!/<title/i.test(source)) return undefined;
  const stack: DefaultTreeAdapterTypes.Node[] = [];
  stack.push(...(parseTree(source.slice(0, TITLE_UNITS))?.childNodes.toReversed() ?? []));
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!('childNodes' in node)) continue;
    if (node.nodeName === 'title' && 'namespaceURI' in node && node.namespaceURI === html.NS.HTML)
      return titleIn(node.childNodes);
    for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return undefined;
}

function titleIn(nodes: readonly DefaultTreeAdapterTypes.Node[]): string | undefined {
  const text = nodes.map((node) => ('value' in node ? node.value : '')).join('');
  return text.replace(/\s+/g, ' ').trim() || undefined;
}
