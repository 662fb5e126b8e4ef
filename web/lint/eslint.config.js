// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rules for the sources of the page: those of ESLint and typescript-eslint, with types, and the order of hooks. The lists of
// dependencies of hooks are not checked: effects depend on part of what they read.
import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["**/openapi.d.ts", "**/*.config.*", "node_modules"] },
  js.configs.recommended,
  typescript.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: process.cwd() } } },
  { plugins: { "react-hooks": hooks }, rules: { "react-hooks/rules-of-hooks": "error" } },
);
