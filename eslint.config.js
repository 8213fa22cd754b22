import tseslint from 'typescript-eslint';

const cap = (lines) => ({ 'max-lines': ['error', { max: lines, skipBlankLines: false, skipComments: false }] });

export default tseslint.config(
  { ignores: ['build/', 'dist/', 'dist-bench/', 'node_modules/', '.svc/', 'coverage/', 'console/src/generated/'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A handler returns a promise by declaration, whether or not it waits for one.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      'max-depth': ['error', 3],
      complexity: ['error', 15],
    },
  },
  {
    files: ['src/**/*.ts', 'bench/**/*.ts'],
    rules: {
      ...cap(400),
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings are read in src/common/config alone.' },
      ],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['validator/**'], message: 'Only src/common/fields speaks validator.' }] },
      ],
    },
  },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    rules: { ...cap(250), 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  { files: ['src/modules/**/*.service.ts'], rules: cap(350) },
  { files: ['src/modules/**/*.store.ts'], rules: cap(300) },
  { files: ['src/modules/**/*.dto.ts'], rules: cap(250) },
  {
    files: ['src/migrations/*.ts', '{src,bench}/**/*.spec.ts', 'src/common/config/settings.ts'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  // Made by test/architecture/capabilities.spec.ts.
  { files: ['src/modules/memory/capabilities/tested-by.ts'], rules: { 'max-lines': 'off' } },
  { files: ['src/common/config/**'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['src/common/fields/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['test/**/*.ts', '{src,bench}/**/*.spec.ts'],
    rules: {
      // Answers of the wire are untyped on purpose: the tests assert their whole shape.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
  // What scripts/client.mjs makes is not there: the compiler checks these when the package is made.
  {
    files: ['clients/typescript/**/*.ts'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: { parserOptions: { projectService: false, project: null } },
  },
  { files: ['clients/typescript/examples/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
