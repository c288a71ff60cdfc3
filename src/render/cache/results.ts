import type { Rendering } from '../types.ts';
import { createLru } from './lru.ts';
import type { Recipe } from './recipe.ts';

/** What was made, and the recipes by which the next one can be found without making it. */
export interface Results {
  recipes(parameters: string): readonly Recipe[];
  get(key: string): Rendering | undefined;
  set(entry: { parameters: string; recipe: Recipe; key: string; rendering: Rendering; bytes: number }): void;
}

// Branches that come and go between two shapes of a source are found again; more would only cost lookups.
const recipesKept = 4;
const recipeBytes = 500;

/** Keeps results up to a number of bytes. */
export function createResults(maxBytes: number): Results {
  const results = createLru<Rendering>(maxBytes);
  const recipes = createLru<readonly Recipe[]>(Math.max(maxBytes / 8, 1024 * 1024));
  return {
    recipes: (parameters) => recipes.get(parameters) ?? [],
    get: (key) => results.get(key),
    set({ parameters, recipe, key, rendering, bytes }) {
      const text = JSON.stringify(recipe);
      const others = (recipes.get(parameters) ?? []).filter((each) => JSON.stringify(each) !== text);
      const kept = [recipe, ...others].slice(0, recipesKept);
      recipes.set(parameters, kept, kept.length * (recipeBytes + text.length));
      results.set(key, rendering, 1_000 + bytes);
    },
  };
}
