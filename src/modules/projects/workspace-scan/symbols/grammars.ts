import type { GrammarLanguage } from './symbol-languages.js';

/** Where the symbols of a language stand in its syntax tree. */
export interface Grammar {
  /** The grammar's file in @vscode/tree-sitter-wasm, between `tree-sitter-` and `.wasm`. */
  file: string;
  /**
   * A query of tree-sitter. In each match `@name` is the name and another capture, called as its kind, the declaration;
   * `@scope` is a declaration that is none itself and names what is within. `@owner` names what a method belongs to
   * that is declared elsewhere.
   */
  query: string;
}

const CPP: Grammar = {
  file: 'cpp',
  query: `
    (function_definition declarator: [
      (function_declarator declarator: (_) @name)
      (pointer_declarator declarator: (function_declarator declarator: (_) @name))
      (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
      (reference_declarator (function_declarator declarator: (_) @name))]) @function
    (struct_specifier name: (_) @name body: (_)) @struct
    (union_specifier name: (_) @name body: (_)) @struct
    (class_specifier name: (_) @name body: (_)) @class
    (enum_specifier name: (_) @name body: (_)) @enum
    (type_definition declarator: (type_identifier) @name) @type
    (alias_declaration name: (_) @name) @type
    (namespace_definition name: (_) @name) @module
    (preproc_function_def name: (_) @name) @macro`,
};

export const GRAMMARS: Readonly<Record<GrammarLanguage, Grammar>> = {
  // The package has no grammar of C alone; that of C++ reads it.
  c: CPP,
  cpp: CPP,
  python: {
    file: 'python',
    query: `
      (class_definition name: (_) @name) @class
      (function_definition name: (_) @name) @function
      (module (expression_statement (assignment left: (identifier) @name)) @variable)`,
  },
  go: {
    file: 'go',
    query: `
      (function_declaration name: (_) @name) @function
      (method_declaration receiver: (parameter_list (parameter_declaration type: [
        (type_identifier) @owner
        (pointer_type (type_identifier) @owner)
        (generic_type type: (type_identifier) @owner)
        (pointer_type (generic_type type: (type_identifier) @owner))])) name: (_) @name) @method
      (type_spec name: (_) @name type: (struct_type)) @struct
      (type_spec name: (_) @name type: (interface_type)) @interface
      (type_spec name: (_) @name type: [(type_identifier) (function_type) (map_type) (slice_type) (array_type) (pointer_type) (qualified_type) (channel_type) (generic_type)]) @type
      (type_alias name: (_) @name) @type
      (source_file (const_declaration (const_spec name: (identifier) @name @variable)))
      (source_file (var_declaration (var_spec name: (identifier) @name @variable)))
      (source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name @variable))))`,
  },
  java: {
    file: 'java',
    query: `
      (class_declaration name: (_) @name) @class
      (record_declaration name: (_) @name) @class
      (interface_declaration name: (_) @name) @interface
      (annotation_type_declaration name: (_) @name) @interface
      (enum_declaration name: (_) @name) @enum
      (method_declaration name: (_) @name) @method`,
  },
  rust: {
    file: 'rust',
    query: `
      (function_item name: (_) @name) @function
      (function_signature_item name: (_) @name) @function
      (struct_item name: (_) @name) @struct
      (union_item name: (_) @name) @struct
      (enum_item name: (_) @name) @enum
      (trait_item name: (_) @name) @trait
      (type_item name: (_) @name) @type
      (mod_item name: (_) @name) @module
      (const_item name: (_) @name) @variable
      (static_item name: (_) @name) @variable
      (macro_definition name: (_) @name) @macro
      (impl_item type: [(type_identifier) @name (generic_type type: (_) @name) (scoped_type_identifier) @name]) @scope`,
  },
  'c-sharp': {
    file: 'c-sharp',
    query: `
      (namespace_declaration name: (_) @name) @module
      (class_declaration name: (_) @name) @class
      (record_declaration name: (_) @name) @class
      (struct_declaration name: (_) @name) @struct
      (interface_declaration name: (_) @name) @interface
      (enum_declaration name: (_) @name) @enum
      (method_declaration name: (_) @name) @method`,
  },
  ruby: {
    file: 'ruby',
    query: `
      (module name: (_) @name) @module
      (class name: (_) @name) @class
      (method name: (_) @name) @function
      (singleton_method name: (_) @name) @function`,
  },
  php: {
    file: 'php',
    query: `
      (class_declaration name: (_) @name) @class
      (interface_declaration name: (_) @name) @interface
      (trait_declaration name: (_) @name) @trait
      (enum_declaration name: (_) @name) @enum
      (function_definition name: (_) @name) @function
      (method_declaration name: (_) @name) @method`,
  },
};
