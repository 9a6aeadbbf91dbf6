"""Chinese passages and questions that `make.py` fills; the names are those of `parts_en.py`."""

LETTERS = list("云溪松柏青石望白沙清远安宁长岭北湖南川梅林柳竹桐泉峰月华星平阳明兰芳雨晴露荷莲金玉永和春秋高文思成")
SURNAMES = list("沈陆江顾孟韩邵汪贺倪汤罗康齐萧姚宋庞纪舒祝董梁杜阮蓝季贾路童颜郭盛骆夏蔡田樊胡凌霍")
MATERIALS = "花岗岩 石板 橡木板 铜板 红砖 石灰岩 松木板 玄武岩 琉璃瓦 大理石".split()
WOODS = "梨木 核桃木 枫木 樱桃木 杉木 桐木 楸木 榉木 柏木 椴木".split()
BOWS = "马尾弓 鹅毛 两把小槌 手指 带摇柄的轮子 牛角拨片".split()
FEASTS = "灯 风筝 酒桶 蜡烛 木筏 鼓 钟 苹果 稻草 盐".split()
DISHES = "熏鱼 李子饺 栗子饼 大麦粥 炸豆腐 蜂蜜糕 腌梨 鳗鱼饭".split()
PLACES = "粮仓 老磨坊 鱼市 马术学校 修道院 盐库 火车站".split()
MACHINES = [
    "织机|纺织机器|织布{n2}米", "印机|印刷机器|印纸{n2}张", "脱粒机|农业机器|脱粒{n2}袋", "水泵|矿用机器|抽水{n2}桶",
    "车床|木工机器|车桌腿{n2}根", "纸机|造纸机器|造纸{n2}捆", "分离机|奶业机器|处理牛奶{n2}罐", "吊机|港口机器|卸货{n2}箱",
]  # fmt: skip
POWERS = "水轮 蒸汽 两头牛 重锤 汽油机 热空气 脚踏板 压缩空气".split()
TRADES = "面包师 船夫 小学教师 装订工 牧羊人 裁缝 磨坊主 锁匠".split()
MONTHS = [f"{month}月" for month in range(1, 13)]
WEATHER = "大雨 牲口集市 大街施工 早霜 车夫罢工".split()
CONJUNCTION, GENITIVE, MARK = "和", "的", "？"

KINDS = {
    "town": dict(
        title="{name}",
        texts=[
            "{x}是{river}边的集镇，{year}年获得特许状，如今有居民{n}人。镇公所外墙贴着{material}。过河要走{near}。",
            "集镇{x}坐落在{river}边，居民有{n}人，获得特许状是在{year}年。镇公所外墙贴着{material}，去对岸要走{near}。",
        ],
        facts=[
            ("{x}坐落在哪条河边", "{river}", "在{river}边。"),
            ("{x}哪一年获得特许状", "{year}年", "{year}年。"),
            ("{x}如今有多少居民", "{n}人", "有{n}人。"),
            ("{x}的镇公所外墙贴着什么", "{material}", "贴着{material}。"),
        ],
        more="{x}哪个居民更多",
        missing=["{x}有哪支足球队", "{x}的镇徽上画着什么"],
        several="哪些集镇值得去一天？",
    ),
    "bridge": dict(
        title="{name}",
        texts=[
            "{x}把老驿道引过{river}，图纸出自{person}之手，{year}年开始走马车。桥身全长{n}米，下面有{n2}个桥墩，桥面铺着{material}。",
            "老驿道经{x}越过{river}。桥身全长{n}米，下面有{n2}个桥墩，{year}年开始走马车，桥面铺着{material}。图纸出自{person}之手。",
        ],
        facts=[
            ("{x}从哪年开始走马车", "{year}年", "从{year}年开始。"),
            ("{x}桥身全长几米", "{n}米", "全长{n}米。"),
            ("{x}下面有几个桥墩", "{n2}个", "有{n2}个。"),
            ("{x}的桥面铺着什么", "{material}", "铺着{material}。"),
            ("{x}的图纸出自谁之手", "{person}", "出自{person}之手。"),
        ],
        more="{x}哪个桥身更长",
        missing=["{x}头一个星期收多少过桥费", "{x}最早的照片是谁照的"],
        several="老驿道上有哪些桥？",
    ),
    "engineer": dict(
        title="{name}",
        texts=[
            "{x}是{town}的工程师，生于{year}年，父亲是{trade}，求学于{place}。{he}名下有{n}项专利，画过{near}的图纸，{year2}年去世。",
            "工程师{x}来自{town}，{year}年出生，父亲是{trade}。{he}求学于{place}，名下有{n}项专利，{near}的图纸就是{he}画的。{he}在{year2}年去世。",
        ],
        facts=[
            ("{x}求学于什么城市", "{place}", "求学于{place}。"),
            ("{x}生于哪年", "{year}年", "{year}年。"),
            ("{x}名下有几项专利", "{n}项", "有{n}项。"),
            ("{x}在哪年去世", "{year2}年", "{year2}年。"),
        ],
        more="{x}谁名下的专利更多",
        missing=["{x}会说几种语言", "{x}爱吃什么菜"],
        several="有哪些工程师值得一读？",
    ),
    "instrument": dict(
        title="{name}",
        texts=[
            "{x}是{town}一带的乐器，{year}年由{person}带来。它张着{n}根弦，琴身取材于{wood}，演奏时要用{bow}。",
            "{town}一带的乐师演奏{x}，这种乐器的琴身取材于{wood}，张着{n}根弦，演奏时要用{bow}。{year}年，{person}把它带来。",
        ],
        facts=[
            ("{x}张着几根弦", "{n}根", "{n}根。"),
            ("{x}的琴身取材于什么木头", "{wood}", "取材于{wood}。"),
            ("{x}是谁带来的", "{person}", "是{person}带来的。"),
            ("演奏{x}时要用什么", "{bow}", "要用{bow}。"),
        ],
        more="{x}哪种张着更多的弦",
        missing=["一把好的{x}卖多少钱", "最后用{x}的是哪个乐队"],
        several="这里还演奏哪些老乐器？",
    ),
    "festival": dict(
        title="{name}",
        texts=[
            "{x}是{river}岸边的节庆，由{person}发起，头一回过节是在{year}年。节期在{month}，前后{n}天，来客要吃{dish}。",
            "人们在{river}岸边过{x}，节期在{month}，前后{n}天，来客要吃{dish}。它由{person}发起，{year}年头一回过节。",
        ],
        facts=[
            ("{x}的节期在几月", "{month}", "在{month}。"),
            ("{x}前后几天", "{n}天", "前后{n}天。"),
            ("{x}头一回过节是哪年", "{year}年", "是{year}年。"),
            ("{x}由谁发起", "{person}", "由{person}发起。"),
            ("{x}的来客要吃什么", "{dish}", "要吃{dish}。"),
        ],
        more="{x}哪个节期更长",
        missing=["{x}的门票卖多少钱", "去{x}坐几路公共汽车"],
        several="河边有哪些节庆？",
    ),
    "machine": dict(
        title="{name}",
        texts=[
            "{x}是一种{machine}，{person}于{year}年取得专利。它自重{n}公斤，靠{power}带动，每小时{does}。早期的一台存放在{place}。",
            "{year}年，{person}为{x}取得专利。这种{machine}靠{power}带动，自重{n}公斤，每小时{does}。早期的一台存放在{place}。",
        ],
        facts=[
            ("谁为{x}取得专利", "{person}", "{person}。"),
            ("{x}自重几公斤", "{n}公斤", "自重{n}公斤。"),
            ("{x}靠什么带动", "{power}", "靠{power}。"),
            ("早期的{x}存放在什么城市", "{place}", "存放在{place}。"),
        ],
        more="{x}哪种自重更大",
        missing=["{x}在国外卖出几台", "{x}漆成什么颜色"],
        several="哪些机器让这个山谷富起来？",
    ),
}

EDITION = dict(
    title="{name}（{year}年）",
    texts=[
        "{year}年的{x}来客{n}人，金绸带被{person}夺走。因为{weather}，游行改从{place}出发，海报由{person2}手绘。",
        "{x}在{year}年来客{n}人。因为{weather}，游行改从{place}出发。{person}夺走金绸带，海报由{person2}手绘。",
    ],
    facts=[
        ("{t}{x}来客多少人", "{n}人", "{x}哪年来客{n}人？"),
        ("{t}{x}的金绸带被谁夺走", "{person}", "{x}的金绸带哪年被{person}夺走？"),
        ("{t}{x}的游行从什么地方出发", "{place}", "{x}的游行哪年从{place}出发？"),
        ("{t}{x}的海报由谁手绘", "{person2}", "{x}的海报哪年由{person2}手绘？"),
    ],
    years=["{year}年。", "那是{year}年。", "是{year}年的事。"],
    leaning=["那一年", "那年", "同一年"],
    stands="{year}年",
)

MORE = ["那{x}呢？", "{x}又如何？", "那么说说{x}吧？"]
FORMER, LATTER, BOTH = "前者", "后者", "这两者"
BOTH_NAMED = ["我会说{a}和{b}。", "首先是{a}和{b}。", "我看是{a}和{b}。"]
EMPTY = [[], [("有空吗？", "有的。")], [("阅览室还开着吗？", "开到六点。")], [("能大点声吗？", "没问题。")]]
UNRESOLVED = [
    "它从哪年开始走马车？", "它前后几天？", "她在哪年去世？", "它张着几根弦？", "它坐落在哪条河边？", "它靠什么带动？", "他名下有几项专利？",
]  # fmt: skip
