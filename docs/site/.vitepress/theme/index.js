import DefaultTheme from "vitepress/theme-without-fonts";
import { withBase } from "vitepress";
import { defineAsyncComponent, h } from "vue";
import "./style.css";

const lost = () =>
  h("main", { class: "vp-doc lost" }, [
    h("h1", "There is no such page"),
    h("p", ["Search for an id, or begin at ", h("a", { href: withBase("/") }, "the first page"), "."]),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": lost }),
  enhanceApp({ app }) {
    app.component("Playground", defineAsyncComponent(() => import("./Playground.vue")));
  },
};
