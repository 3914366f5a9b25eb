(el, name) => {
          const holder = el.hasAttribute(name) ? el : el.closest(`[${CSS.escape(name)}]`) || el.querySelector(`[${CSS.escape(name)}]`);
          if (!holder || name === "value" && holder.type === "password") return null;
          return name === "href" || name === "src" ? holder[name] : holder.getAttribute(name);
        }
