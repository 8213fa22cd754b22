import { extname } from 'node:path/posix';
import ts from 'typescript';
import type { FoundSymbol, SymbolKind } from '../workspace-scan.types.js';

const SCRIPT_KINDS: Record<string, ts.ScriptKind> = {
  '.tsx': ts.ScriptKind.TSX,
  '.jsx': ts.ScriptKind.JSX,
  '.js': ts.ScriptKind.JSX,
  '.mjs': ts.ScriptKind.JSX,
  '.cjs': ts.ScriptKind.JSX,
};

/** The declarations of a TypeScript or JavaScript file and the members of its classes, by the TypeScript compiler. */
export function readTypescript(path: string, text: string): FoundSymbol[] {
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const kind = SCRIPT_KINDS[extname(path).toLowerCase()] ?? ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, options, false, kind);
  const found: FoundSymbol[] = [];
  const add = (name: ts.Node, kind: SymbolKind, within: string): string => {
    const start = name.getStart(source);
    const full = within + text.slice(start, name.end);
    found.push({ name: full, kind, line: source.getLineAndCharacterOfPosition(start).line + 1 });
    return `${full}.`;
  };
  readStatements(source.statements, '', add);
  return found;
}

type Add = (name: ts.Node, kind: SymbolKind, within: string) => string;

function readStatements(statements: readonly ts.Statement[], within: string, add: Add): void {
  for (const node of statements) {
    if (ts.isVariableStatement(node)) readVariables(node.declarationList.declarations, within, add);
    else if (ts.isFunctionDeclaration(node) && node.name) add(node.name, 'function', within);
    else if (ts.isClassDeclaration(node) && node.name) readMembers(node, add(node.name, 'class', within), add);
    else if (ts.isInterfaceDeclaration(node)) add(node.name, 'interface', within);
    else if (ts.isTypeAliasDeclaration(node)) add(node.name, 'type', within);
    else if (ts.isEnumDeclaration(node)) add(node.name, 'enum', within);
    else if (ts.isModuleDeclaration(node)) readModule(node, within, add);
  }
}

function readModule({ name, body }: ts.ModuleDeclaration, within: string, add: Add): void {
  const inner = add(name, 'module', within);
  if (body && ts.isModuleBlock(body)) readStatements(body.statements, inner, add);
  else if (body && ts.isModuleDeclaration(body)) readModule(body, inner, add);
}

function readVariables(declarations: readonly ts.VariableDeclaration[], within: string, add: Add): void {
  for (const { name, initializer } of declarations) {
    if (!ts.isIdentifier(name)) continue;
    if (initializer && ts.isClassExpression(initializer)) readMembers(initializer, add(name, 'class', within), add);
    else add(name, isFunction(initializer) ? 'function' : 'variable', within);
  }
}

function readMembers({ members }: ts.ClassLikeDeclaration, within: string, add: Add): void {
  for (const member of members) {
    const isCalled = ts.isMethodDeclaration(member) || ts.isAccessor(member);
    const isProperty = ts.isPropertyDeclaration(member) && isFunction(member.initializer);
    if (isCalled || isProperty) add(member.name, 'method', within);
  }
}

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
